/** Markup that is safe to send: made by `html`, or marked by `raw` as ours. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | undefined | readonly Markup[]

/** A template whose values are text: each is escaped, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + toText(parts[index - 1]) + string))
}

/** Marks trusted markup, such as the provider's own form, as safe. */
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
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}
