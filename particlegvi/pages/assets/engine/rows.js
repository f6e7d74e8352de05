// The rows of a typed formula, and those of its derivatives by reverse-mode differentiation.
"use strict";
PG.functions = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  abs: Math.abs,
  tanh: Math.tanh,
  cosh: Math.cosh,
  sinh: Math.sinh,
};

PG.Rows = class {
  constructor() {
    this.rows = [];
    this.column = 0; // of the formula, for a mistake
  }
  row(...row) {
    return this.rows.push(row) - 1;
  }
  constant(number) {
    if (!Number.isFinite(number)) throw new PG.Mistake("not_finite", this.column);
    return this.row("constant", number);
  }
  variable(coordinate) {
    return this.row("variable", coordinate);
  }
  known(a) {
    return this.rows[a][0] === "constant" ? this.rows[a][1] : null;
  }
  binary(operation, a, b, f) {
    const x = this.known(a),
      y = this.known(b);
    return x !== null && y !== null ? this.constant(f(x, y)) : this.row(operation, a, b);
  }
  add(a, b) {
    if (this.known(a) === 0) return b;
    return this.binary("add", a, b, (x, y) => x + y);
  }
  subtract(a, b) {
    return this.binary("subtract", a, b, (x, y) => x - y);
  }
  multiply(a, b) {
    if (this.known(b) !== null && this.known(a) === null) [a, b] = [b, a];
    if (this.known(a) === 1) return b;
    if (this.known(a) === 0) return a;
    return this.binary("multiply", a, b, (x, y) => x * y);
  }
  divide(a, b) {
    if (this.known(b) === 0) throw new PG.Mistake("divides_by_zero", this.column);
    return this.known(a) === 0 ? a : this.binary("divide", a, b, (x, y) => x / y);
  }
  negate(a) {
    const x = this.known(a);
    return x === null ? this.row("negate", a) : this.constant(-x);
  }
  to_power(a, b) {
    // an exponent that is no constant makes it exp(b log a), which needs a positive base
    const x = this.known(a),
      y = this.known(b);
    if (y === 0 && x === null) return this.constant(1);
    if (y !== null) return this.binary("power", a, b, Math.pow);
    if (x !== null && x <= 0) throw new PG.Mistake("positive_base", this.column);
    return this.call("exp", this.multiply(b, this.call("log", a)));
  }
  call(name, a) {
    const x = this.known(a);
    return x === null ? this.row(name, a) : this.constant(PG.functions[name](x));
  }

  // The rows of the derivatives of a row in each coordinate. The derivative of abs at 0 is 0.
  derivatives(value, dim) {
    const zero = this.constant(0),
      slopes = new Map([[value, this.constant(1)]]),
      found = new Array(dim).fill(zero);
    for (let k = value; k >= 0; k--) {
      const [operation, left] = this.rows[k];
      if (!slopes.has(k) || operation === "constant") continue;
      if (operation === "variable") {
        found[left] = found[left] === zero ? slopes.get(k) : this.add(found[left], slopes.get(k));
        continue;
      }
      for (const [operand, slope] of this.passed_on(k, slopes.get(k)))
        if (this.known(operand) === null)
          slopes.set(operand, slopes.has(operand) ? this.add(slopes.get(operand), slope) : slope);
    }
    return found;
  }
  // [x, the row of the derivative of log(row) by x] of exp, cosh and their powers, which may overflow
  log_rate(k) {
    const [operation, a, b] = this.rows[k];
    if (operation === "exp") return [a, this.constant(1)];
    if (operation === "cosh") return [a, this.call("tanh", a)];
    const inner = operation === "power" ? this.log_rate(a) : null;
    return inner && [inner[0], this.multiply(b, inner[1])];
  }
  // [operand, its part of the slope] for each operand of a row with this slope
  passed_on(k, slope) {
    const [operation, a, b] = this.rows[k],
      over = (top, bottom) => this.divide(top, bottom),
      times = (...factors) => factors.reduce((product, factor) => this.multiply(product, factor));
    switch (operation) {
      case "add":
        return [[a, slope], [b, slope]]; // prettier-ignore
      case "subtract":
        return [[a, slope], [b, this.negate(slope)]]; // prettier-ignore
      case "multiply":
        return [[a, times(slope, b)], [b, times(slope, a)]]; // prettier-ignore
      case "divide": {
        const share = over(slope, b),
          rate = this.log_rate(b);
        if (rate) return [[a, share], [rate[0], this.negate(times(slope, k, rate[1]))]];
        return [[a, share], [b, this.negate(times(share, k))]]; // prettier-ignore
      }
      case "power": {
        const exponent = this.known(b),
          rate = exponent < 0 ? this.log_rate(k) : null;
        if (rate) return [[rate[0], times(slope, k, rate[1])]];
        return [[a, times(slope, times(this.constant(exponent), this.to_power(a, this.constant(exponent - 1))))]];
      }
      case "negate":
        return [[a, this.negate(slope)]];
      case "sin":
        return [[a, times(slope, this.call("cos", a))]];
      case "cos":
        return [[a, this.negate(times(slope, this.call("sin", a)))]];
      case "tan":
        return [[a, times(slope, this.add(this.constant(1), times(k, k)))]];
      case "exp":
        return [[a, times(slope, k)]];
      case "log":
        return [[a, over(slope, a)]];
      case "sqrt":
        return [[a, over(times(this.constant(0.5), slope), k)]];
      case "abs":
        return [[a, times(slope, this.row("sign", a))]];
      case "sinh":
        return [[a, times(slope, this.call("cosh", a))]];
      case "cosh":
        return [[a, times(slope, this.call("sinh", a))]];
      default: {
        const width = this.call("cosh", a); // tanh: 1 - tanh^2 would lose every digit far out
        return [[a, over(over(slope, width), width)]];
      }
    }
  }
};
