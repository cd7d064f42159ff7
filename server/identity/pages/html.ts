/** Markup that is safe to send. `html` and `raw` create it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | undefined | readonly Markup[]

/** A template tag that escapes all values except markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + toText(parts[index - 1]) + string))
}

/** Converts trusted markup, such as a form of the provider, without escaping it. */
export function raw(text: string): Markup {
  return new Markup(text)
}

function toText(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'string') return escape(part)
  return part.map(({ text }) => text).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
