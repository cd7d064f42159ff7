/**
 * Removes the marks that ChatGPT's replies have where its page shows a source: a name and its values between U+E200 and
 * U+E201, separated by U+E202. Of a mark that stands for words (`entity`, `url`) these words stay. Older replies have
 * marks such as `【4†source】`.
 */
export function removeCitations(text: string): string {
  if (!/[\uE200-\uE206【]/.test(text)) return text
  return text
    .replaceAll(/\uE200([^\uE200\uE201]*)\uE201/g, (_mark, content: string) =>
      wordsOf(content.split('\uE202')),
    )
    .replaceAll(/[\uE200-\uE206]/g, '')
    .replaceAll(/【\d{1,5}(?::\d{1,5})?†[^【】\n]{0,200}】/g, '')
}

function wordsOf([name, value = '']: readonly string[]): string {
  if (name === 'url') return value
  if (name !== 'entity') return ''
  try {
    const values: unknown = JSON.parse(value)
    return Array.isArray(values) && typeof values[1] === 'string' ? values[1] : ''
  } catch {
    return ''
  }
}
