from particlegvi.networks.estimators import EnsembleClassifier as EnsembleClassifier
from particlegvi.networks.estimators import EnsembleEstimator as EnsembleEstimator
from particlegvi.networks.estimators import EnsembleRegressor as EnsembleRegressor
from particlegvi.networks.architecture import Network as Network
from particlegvi.networks.loss import NetworkLoss as NetworkLoss
from particlegvi.networks import activations as activations, costs as costs
