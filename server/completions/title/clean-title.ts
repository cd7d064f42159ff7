import { cutText, stripMarkdown } from '@yonder/contract/message-text'
import { toVisibleLine } from '../../lib/text.ts'

/** Characters of a title that a model writes, as users count them. */
export const maxTitleChars = 60
/** A longer line is an answer to the user, and no title. */
const maxLineChars = 2 * maxTitleChars
/** Characters of a reply that are read. The title is at its beginning. */
const maxReadChars = 2_000

/** Words before a title that models write in the language of the chat. */
const label =
  /^(?:(?:chat|conversation|suggested|possible) )?(?:title|titel|titre|título|titolo|tytuł|název|naslov|titlu|cím|otsikko|rubrik|overskrift|başlık|judul|tiêu đề|название|заголовок|назва|τίτλος|עותרת|כותרת|عنوان|العنوان|शीर्षक|标题|標題|タイトル|題名|제목) ?[:：] ?/iu

/** The ends of a quotation, by its beginning. */
const quotes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
  '„': '“”',
  '‚': '‘’',
  '«': '»',
  '»': '«',
  '‹': '›',
  '「': '」',
  '『': '』',
  '《': '》',
  '＂': '＂',
}

const fullStops = '.。．｡।۔։'
const commas = [',', '，', '、', '،', '՝']

/** What no title ends with. It may ask and exclaim, but is no sentence with a full stop. */
const finalPunctuation = ' .,;:…。．｡，、；：।،؛۔·-'

/** What a model is asked to write around a title. No answer to the user and no refusal has it. */
export const titleTags = ['<title>', '</title>'] as const

/**
 * Returns the title in what a model has replied: the first line that is one, without a label, quotation marks, Markdown,
 * invisible characters and final punctuation, at most `maxTitleChars` long. Undefined when there is none, as when the
 * model answers the user or refuses, in whatever language: then it writes sentences, and no tags.
 */
export function cleanTitle(reply: string): string | undefined {
  const tagged = findTagged(reply)
  const lines = stripMarkdown((tagged ?? reply).slice(0, maxReadChars).toWellFormed())
    .split(/[\n\r\u2028\u2029]+/u)
    .map((line) => toVisibleLine(line).replace(label, ''))
    .filter((line) => line !== '')
  // A line such as 'Here is a title:' only announces it.
  const line = lines.find((one, index) => index === lines.length - 1 || !/[:：]$/u.test(one)) ?? ''
  if (cutText(line, maxLineChars).isCut || (tagged === undefined && isSentence(line))) return undefined
  const title = trimTitle(line)
  if (title === '') return undefined
  return cutText(title, maxTitleChars).isCut ? shorten(title) : title
}

/** Returns what stands between the last tags: a model that thinks aloud before may name them, too. */
function findTagged(reply: string): string | undefined {
  const [open, close] = titleTags
  const at = reply.lastIndexOf(open)
  if (at === -1) return undefined
  const end = reply.indexOf(close, at)
  return reply.slice(at + open.length, end === -1 ? undefined : end)
}

/** Words of a title that ends with a full stop, or has a comma. Sentences, such as refusals, mostly have more. */
const maxWordsWithStop = 3
const maxWordsWithComma = 5

function isSentence(line: string): boolean {
  const hasStop = fullStops.includes(unquote(line).at(-1) ?? '') || fullStops.includes(line.at(-1) ?? '')
  const hasComma = commas.some((comma) => line.includes(comma))
  if (!hasStop && !hasComma) return false
  const words = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(line)
  const count = [...words].filter(({ isWordLike }) => isWordLike).length
  return count > (hasStop ? maxWordsWithStop : maxWordsWithComma)
}

/** Removes what is around a title. A full stop may be inside the quotation marks as well as after them. */
function trimTitle(line: string): string {
  const trimmed = unquote(trimEnd(line))
  return trimmed === line ? line : trimTitle(trimmed)
}

function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && finalPunctuation.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

function unquote(text: string): string {
  const ends = quotes[text.at(0) ?? '']
  const inner = text.slice(1, -1)
  if (ends === undefined || text.length < 2 || !ends.includes(text.charAt(text.length - 1))) return text
  // The marks at the ends of '"A" and "B"' do not belong to each other.
  return (text.charAt(0) + ends).split('').some((mark) => inner.includes(mark)) ? text : inner.trim()
}

/** Cuts a long title after its last whole word, unless that would leave little of it. */
function shorten(title: string): string {
  const { text } = cutText(title, maxTitleChars - 1)
  const space = title.lastIndexOf(' ', text.length)
  const words = space > text.length / 2 ? title.slice(0, space) : text
  return `${trimEnd(words)}…`
}
