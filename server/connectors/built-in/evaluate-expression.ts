/** Characters of an expression. */
const maxChars = 1_000
/** Nesting levels of brackets, signs and powers. */
const maxDepth = 100

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}

const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI }

type Compute = (...values: number[]) => number
const functions: Readonly<Record<string, { readonly arity: number | 'many'; readonly compute: Compute }>> = {
  abs: { arity: 1, compute: Math.abs },
  sqrt: { arity: 1, compute: Math.sqrt },
  cbrt: { arity: 1, compute: Math.cbrt },
  exp: { arity: 1, compute: Math.exp },
  ln: { arity: 1, compute: Math.log },
  log: { arity: 1, compute: Math.log10 },
  log10: { arity: 1, compute: Math.log10 },
  log2: { arity: 1, compute: Math.log2 },
  sin: { arity: 1, compute: Math.sin },
  cos: { arity: 1, compute: Math.cos },
  tan: { arity: 1, compute: Math.tan },
  asin: { arity: 1, compute: Math.asin },
  acos: { arity: 1, compute: Math.acos },
  atan: { arity: 1, compute: Math.atan },
  floor: { arity: 1, compute: Math.floor },
  ceil: { arity: 1, compute: Math.ceil },
  round: { arity: 1, compute: Math.round },
  min: { arity: 'many', compute: Math.min },
  max: { arity: 'many', compute: Math.max },
}

/**
 * Computes an arithmetic expression with `+ - * / % ^`, brackets, functions such as `sqrt(2)`, `pi` and `e`. `^` and
 * `**` are right-associative and bind more tightly than a sign: -2^2 is -4.
 * @throws ExpressionError with a message for the model
 */
export function evaluateExpression(expression: string): number {
  if (expression.length > maxChars)
    throw new ExpressionError(`The expression is longer than ${maxChars.toLocaleString('en')} characters.`)
  const value = new ExpressionParser(tokenize(expression)).read()
  if (Number.isNaN(value)) throw new ExpressionError('The result is not a real number.')
  if (!Number.isFinite(value)) throw new ExpressionError('The result is too large, or divided by zero.')
  return value
}

function tokenize(expression: string): string[] {
  const token =
    /\s*(?:(\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z]\w*)|(\*\*|[-+*/%^(),×÷−]))/iy
  const tokens: string[] = []
  const text = expression.trimEnd()
  while (token.lastIndex < text.length) {
    const from = token.lastIndex
    const found = token.exec(text)
    if (found === null)
      throw new ExpressionError(`"${text.slice(from).trim().slice(0, 10)}" is not arithmetic.`)
    tokens.push(found[1] ?? found[2]?.toLowerCase() ?? normalizeOperator(found[3] ?? ''))
  }
  if (tokens.length === 0) throw new ExpressionError('The expression is empty.')
  return tokens
}

function normalizeOperator(sign: string): string {
  const plain: Readonly<Record<string, string>> = { '×': '*', '÷': '/', '−': '-', '**': '^' }
  return plain[sign] ?? sign
}

/** A recursive descent parser: a sum consists of products, a product of signed values, each of signs and a power. */
class ExpressionParser {
  readonly #tokens: readonly string[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  read(): number {
    const value = this.#sum()
    const rest = this.#tokens[this.#at]
    if (rest !== undefined) throw new ExpressionError(`The expression should end before "${rest}".`)
    return value
  }

  #sum(): number {
    let value = this.#product()
    for (;;) {
      if (this.#consume('+')) value += this.#product()
      else if (this.#consume('-')) value -= this.#product()
      else return value
    }
  }

  #product(): number {
    let value = this.#signed()
    for (;;) {
      if (this.#consume('*')) value *= this.#signed()
      else if (this.#consume('/')) value /= this.#signed()
      else if (this.#consume('%')) value %= this.#signed()
      else return value
    }
  }

  #signed(): number {
    return this.#nest(() => {
      if (this.#consume('-')) return -this.#signed()
      if (this.#consume('+')) return this.#signed()
      const base = this.#atom()
      return this.#consume('^') ? base ** this.#signed() : base
    })
  }

  #atom(): number {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new ExpressionError('The expression ends too early.')
    if (token === '(') {
      const value = this.#sum()
      this.#expect(')')
      return value
    }
    if (/^[\d.]/.test(token)) return Number(token.replaceAll('_', ''))
    return this.#named(token)
  }

  #named(name: string): number {
    const known = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (known !== undefined) {
      if (!this.#consume('('))
        throw new ExpressionError(`The values of ${name} must be in brackets after it.`)
      const values = [this.#sum()]
      while (this.#consume(',')) values.push(this.#sum())
      this.#expect(')')
      if (known.arity !== 'many' && known.arity !== values.length) {
        throw new ExpressionError(`${name} requires exactly ${known.arity} value.`)
      }
      return known.compute(...values)
    }
    const constant = Object.hasOwn(constants, name) ? constants[name] : undefined
    if (constant === undefined) throw new ExpressionError(`"${name}" is not a known function or constant.`)
    return constant
  }

  #consume(sign: string): boolean {
    if (this.#tokens[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #expect(sign: string): void {
    if (!this.#consume(sign)) throw new ExpressionError(`"${sign}" is missing.`)
  }

  #nest(read: () => number): number {
    if (++this.#depth > maxDepth) throw new ExpressionError('The expression is nested too deeply.')
    const value = read()
    this.#depth--
    return value
  }
}
