// Functions of the constants in a formula, sin(2) for example, rounded correctly, as the C library's nearly always are:
// a browser's own may be an ulp away. Computed with whole numbers, in units of 2^-200.
"use strict";
(() => {
  const P = 200n,
    ONE = 1n << P,
    times = (a, b) => (a * b) >> P;
  const f64 = new Float64Array(1),
    u64 = new BigUint64Array(f64.buffer);
  const atanh = (p, q) => {
    let sum = 0n,
      power = (ONE * p) / q;
    const square = (power * power) / ONE;
    for (let k = 1n; power !== 0n; k += 2n) {
      sum += power / k;
      power = (power * square) / ONE;
    }
    return sum;
  };
  const atan_inverse = q => {
    let sum = 0n,
      power = ONE / q;
    for (let k = 1n; power !== 0n; k += 2n) {
      sum += (k & 2n ? -power : power) / k;
      power /= q * q;
    }
    return sum;
  };
  const LN2 = 2n * atanh(1n, 3n),
    HALF_PI = 8n * atan_inverse(5n) - 2n * atan_inverse(239n);
  function fixed(x) {
    // a double as a whole number of units: exact above 2^-140
    f64[0] = Math.abs(x);
    const exponent = u64[0] >> 52n,
      mantissa = (u64[0] & 0xfffffffffffffn) | 0x10000000000000n,
      shift = exponent - 1075n + P;
    const size = shift >= 0n ? mantissa << shift : mantissa >> -shift;
    return x < 0 ? -size : size;
  }
  const rounded = (units, power = 0) => Number(units) * 2 ** -100 * 2 ** (power - 100);
  const nearest = (a, b) => {
    const twice = 2n * a + b;
    return (twice - (((twice % (2n * b)) + 2n * b) % (2n * b))) / (2n * b);
  };
  function series(x, term, first) {
    // sum of the powers of x over factorials: every one, or every other with turning signs
    let sum = 0n,
      power = term;
    for (let k = BigInt(first); power !== 0n; k++) {
      sum += power;
      power = x(power, k);
    }
    return sum;
  }
  const ordinary = x => Math.abs(x) > 1e-30 && Math.abs(x) < 600;
  function exp(x) {
    if (!ordinary(x)) return Math.exp(x);
    const k = nearest(fixed(x), LN2),
      r = fixed(x) - k * LN2;
    return rounded(
      series((power, n) => times(power, r) / n, ONE, 1),
      Number(k),
    );
  }
  function log(x) {
    if (!(x > 1e-30 && x < 1e30) || x === 1) return Math.log(x);
    let e = Math.floor(Math.log2(x)),
      m = x / 2 ** e;
    if (m > Math.SQRT2) {
      e += 1;
      m = x / 2 ** e;
    }
    const a = fixed(m) - ONE,
      b = fixed(m) + ONE;
    return rounded(BigInt(e) * LN2 + 2n * atanh(a, b));
  }
  function sine(x, quarters) {
    // sin(x + quarters pi/2) in units
    const k = nearest(fixed(x), HALF_PI),
      r = fixed(x) - k * HALF_PI,
      square = times(r, r),
      q = (((k + quarters) % 4n) + 4n) % 4n;
    const value =
      q % 2n
        ? series((power, n) => -times(power, square) / ((2n * n - 1n) * 2n * n), ONE, 1)
        : series((power, n) => -times(power, square) / (2n * n * (2n * n + 1n)), r, 1);
    return q >= 2n ? -value : value;
  }
  const sin = x => (ordinary(x) ? rounded(sine(x, 0n)) : Math.sin(x)),
    cos = x => (ordinary(x) ? rounded(sine(x, 1n)) : Math.cos(x));
  const tan = x => (ordinary(x) ? rounded((sine(x, 0n) << P) / sine(x, 1n)) : Math.tan(x));
  PG.functions = {
    sin,
    cos,
    tan,
    exp,
    log,
    sqrt: Math.sqrt,
    abs: Math.abs,
    tanh: Math.tanh,
    cosh: Math.cosh,
    sinh: Math.sinh,
  };
})();
