// Reads formulas as particlegvi/losses/formulas does: the same formulas, no evaluation of code.
// An error says `key` (a sentence among the words), `column` (counted from 0) and `values` for the sentence.
"use strict";
PG.Mistake = class extends Error {
  constructor(key, column, values) {
    super(`${key} at column ${column + 1}`);
    Object.assign(this, { key, column, values: values || {} });
  }
};

(() => {
  const LONGEST = 10000,
    DEEPEST = 250,
    PRECEDENCE = { "+": 1, "-": 1, "*": 2, "/": 2, sign: 3, "**": 4 };
  const SPACE = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u;
  const letter = c => c !== undefined && c !== "π" && (c === "_" || /\p{L}/u.test(c)),
    digit = c => c >= "0" && c <= "9";
  const own = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

  function tokens(text) {
    // kind: "number", "name", "end", or the operator or parenthesis itself
    const c = Array.from(text),
      found = [];
    if (c.length > LONGEST) throw new PG.Mistake("too_long", LONGEST);
    for (let at = 0; at < c.length;) {
      const start = at,
        digits = () => {
          while (at < c.length && digit(c[at])) at++;
        };
      if (SPACE.test(c[at])) {
        at++;
        continue;
      }
      if (digit(c[at]) || (c[at] === "." && at + 1 < c.length && digit(c[at + 1]))) {
        digits();
        if (c[at] === ".") {
          at++;
          digits();
        }
        if (c[at] === "e" || c[at] === "E") {
          const mark = at;
          at += c[at + 1] === "+" || c[at + 1] === "-" ? 2 : 1;
          const first = at;
          digits();
          if (at === first) throw new PG.Mistake("no_exponent", mark);
        }
        const number = Number(c.slice(start, at).join(""));
        if (!Number.isFinite(number)) throw new PG.Mistake("too_large", start);
        found.push({ kind: "number", text: c.slice(start, at).join(""), column: start, number });
      } else if (letter(c[at])) {
        while (at < c.length && (letter(c[at]) || digit(c[at]))) at++;
        found.push({ kind: "name", text: c.slice(start, at).join(""), column: start });
      } else if (c[at] === "*" && c[at + 1] === "*") {
        at += 2;
        found.push({ kind: "**", text: "**", column: start });
      } else if (c[at] === "^") {
        at++;
        found.push({ kind: "**", text: "^", column: start });
      } else if ("+-*/()".includes(c[at])) found.push({ kind: c[at], text: c[at++], column: start });
      else throw new PG.Mistake("not_part", at, { character: c[at] });
    }
    found.push({ kind: "end", text: "", column: c.length });
    return found;
  }

  // The rows of a formula and the number of the one that is its value. Two stacks give the operators the precedence
  // that they have in Python.
  PG.parse = function (text, variables) {
    const graph = new PG.Rows(),
      values = [],
      open = [];
    const apply = {
      "+": (a, b) => graph.add(a, b),
      "-": (a, b) => graph.subtract(a, b),
      "*": (a, b) => graph.multiply(a, b),
      "/": (a, b) => graph.divide(a, b),
      "**": (a, b) => graph.to_power(a, b),
    };
    let named = null,
      wants_operand = true;
    const value = (token, make) => {
      graph.column = token.column;
      values.push(make());
      wants_operand = false;
    };
    function push(kind, token) {
      if (open.length >= DEEPEST) throw new PG.Mistake("too_deep", token.column);
      open.push({ kind, token });
    }
    function down_to(precedence) {
      while (
        open.length &&
        open[open.length - 1].kind !== "(" &&
        PRECEDENCE[open[open.length - 1].kind] >= precedence
      ) {
        const { kind, token } = open.pop(),
          right = values.pop();
        graph.column = token.column;
        if (kind === "sign") values.push(token.kind === "-" ? graph.negate(right) : right);
        else values.push(apply[kind](values.pop(), right));
      }
    }
    function operand(token) {
      const is_name = token.kind === "name";
      if (token.kind === "number") value(token, () => graph.constant(token.number));
      else if (is_name && variables.includes(token.text))
        value(token, () => graph.variable(variables.indexOf(token.text)));
      else if (is_name && own(PG.functions, token.text)) named = token;
      else if (is_name && token.text === "pi") value(token, () => graph.constant(Math.PI));
      else if (is_name)
        throw new PG.Mistake("unknown", token.column, {
          name: token.text.slice(0, 40),
          variables: variables.join(", "),
        });
      else if (token.kind === "(") {
        push("(", named || token);
        named = null;
      } else if (token.kind === "+" || token.kind === "-") push("sign", token);
      else if (token.kind === "end" && !values.length && !open.length) throw new PG.Mistake("empty", token.column);
      else throw new PG.Mistake("missing_operand", token.column);
    }
    function operator(token) {
      if (token.kind === "end") {
        down_to(0);
        if (open.length) throw new PG.Mistake("never_closed", open[open.length - 1].token.column);
      } else if (token.kind === ")") {
        down_to(0);
        if (!open.length) throw new PG.Mistake("never_opened", token.column);
        const opening = open.pop().token;
        if (opening.kind === "name") {
          graph.column = opening.column;
          values.push(graph.call(opening.text, values.pop()));
        }
      } else if (own(PRECEDENCE, token.kind)) {
        down_to(PRECEDENCE[token.kind] + (token.kind === "**" ? 1 : 0));
        push(token.kind, token);
        wants_operand = true;
      } else throw new PG.Mistake("missing_operator", token.column, { text: token.text.slice(0, 40) });
    }
    for (const token of tokens(text)) {
      if (named !== null && token.kind !== "(")
        throw new PG.Mistake("needs_argument", named.column, { name: named.text });
      if (wants_operand) operand(token);
      else operator(token);
    }
    return [graph, values[0]];
  };

  // A loss on the line or in the plane from a typed formula.
  PG.formula = function (text, variables) {
    const [graph, value] = PG.parse(text, variables),
      slopes = graph.derivatives(value, variables.length),
      window = variables.map(() => [-3.5, 3.5]);
    return PG.loss({ rows: graph.rows, value, slopes, formula: text, variables, dim: variables.length, window });
  };
})();
