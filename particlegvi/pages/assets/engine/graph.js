// The graph of a formula, as particlegvi/losses/formulas/graph.py: each subexpression once, constants computed, trivial
// operations gone, in the same order, because the order decides the last bit.
"use strict";
(() => {
  const f64 = new Float64Array(1),
    u32 = new Uint32Array(f64.buffer);
  const is_normal = x => Math.abs(x) >= 2.2250738585072014e-308 && Number.isFinite(x);
  function is_power_of_two(x) {
    const a = Math.abs(x);
    if (a < 2.2250738585072014e-308) return is_power_of_two(a * 2 ** 100);
    f64[0] = a;
    return u32[0] === 0 && (u32[1] & 0xfffff) === 0;
  }
  PG.Graph = class {
    constructor() {
      this.nodes = [];
      this.columns = [];
      this.column = 0;
      this.places = new Map();
    }
    node(operation, left = -1, right = -1, number = 0) {
      const key = `${operation} ${left} ${right} ${Object.is(number, -0) ? "-0" : number}`;
      if (!this.places.has(key)) {
        this.places.set(key, this.nodes.length);
        this.nodes.push({ operation, left, right, number });
        this.columns.push(this.column);
      }
      return this.places.get(key);
    }
    constant(number) {
      return this.node("constant", -1, -1, number);
    }
    variable(coordinate) {
      return this.node("variable", coordinate);
    }
    known(a) {
      return this.nodes[a].operation === "constant" ? this.nodes[a].number : null;
    }
    is(a, operation) {
      return this.nodes[a].operation === operation;
    }
    computed(result) {
      if (!Number.isFinite(result)) throw new PG.Mistake("not_finite", this.column);
      return this.constant(result);
    }
    add(a, b) {
      const x = this.known(a),
        y = this.known(b);
      if (x !== null && y !== null) return this.computed(x + y);
      if (x === 0) return b;
      if (y === 0) return a;
      if (a === b) return this.multiply(this.constant(2), a);
      if (this.is(b, "negate")) return this.subtract(a, this.nodes[b].left);
      if (this.is(a, "negate")) return this.subtract(b, this.nodes[a].left);
      return this.node("add", Math.min(a, b), Math.max(a, b));
    }
    subtract(a, b) {
      const x = this.known(a),
        y = this.known(b);
      if (x !== null && y !== null) return this.computed(x - y);
      if (x === 0) return this.negate(b);
      if (y !== null) return this.add(a, this.constant(-y));
      if (this.is(b, "negate")) return this.add(a, this.nodes[b].left);
      return this.node("subtract", a, b);
    }
    negate(a) {
      const x = this.known(a),
        node = this.nodes[a];
      if (x !== null) return this.constant(-x);
      if (node.operation === "negate") return node.left;
      if (node.operation === "subtract") return this.subtract(node.right, node.left);
      const factor = node.operation === "multiply" ? this.known(node.left) : null;
      return factor !== null ? this.multiply(this.constant(-factor), node.right) : this.node("negate", a);
    }
    multiply(a, b) {
      let x = this.known(a);
      const y = this.known(b);
      if (x !== null && y !== null) return this.computed(x * y);
      if (y !== null) [a, b, x] = [b, a, y];
      if (x === null) return this.node("multiply", Math.min(a, b), Math.max(a, b));
      if (x === 0) return a; // from here on a is the constant x
      if (Math.abs(x) === 1) return x === 1 ? b : this.negate(b);
      const inner = this.nodes[b];
      if (inner.operation === "negate") return this.multiply(this.constant(-x), inner.left);
      const factor = inner.operation === "multiply" ? this.known(inner.left) : null;
      if (factor !== null && is_normal(x * factor)) return this.multiply(this.constant(x * factor), inner.right);
      return this.node("multiply", a, b);
    }
    divide(a, b) {
      const x = this.known(a),
        y = this.known(b);
      if (y === 0) throw new PG.Mistake("divides_by_zero", this.column);
      if (x !== null && y !== null) return this.computed(x / y);
      if (x === 0) return a;
      if (y !== null && is_power_of_two(y) && is_normal(1 / y)) return this.multiply(a, this.constant(1 / y));
      return this.node("divide", a, b);
    }
    to_power(a, b) {
      // an exponent that is no constant makes it exp(b log a), which needs a positive base
      const x = this.known(a),
        y = this.known(b);
      if (x !== null && y !== null) return this.computed(Math.pow(x, y));
      if (y !== null) return y === 0 ? this.constant(1) : y === 1 ? a : this.node("power", a, -1, y);
      if (x !== null && x <= 0) throw new PG.Mistake("positive_base", this.column);
      return this.call("exp", this.multiply(b, this.call("log", a)));
    }
    call(name, a) {
      const x = this.known(a);
      return x !== null ? this.computed(PG.functions[name](x)) : this.node(name, a);
    }
    sign(a) {
      return this.node("sign", a);
    }
  };
  PG.is_normal = is_normal;
})();
