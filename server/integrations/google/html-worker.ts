import { convert } from 'html-to-text'
import { serveJobs } from '../../lib/serve-jobs.ts'

/*
 * The worker thread of `convert-html.ts`. A large newsletter takes a tenth of a second and hostile HTML many seconds,
 * which must not block the main thread.
 */

const maxLinkChars = 200

/**
 * What may follow the zero in `font-size:0`: the first character of a unit such as `px` or `%`, the `;` or `!` that
 * ends the value, a space, or the CSS escape of a tab, a line feed or a carriage return.
 */
const endsOfZero = 'c d e i l m p q r s v % ; !'.split(' ').concat(' ', '\\9', '\\a', '\\d')

/** The beginnings of sizes at which no text can be read. Text of `0.9em` can be read. */
const hiddenSizes = [
  ...endsOfZero.map((end) => `0${end}`),
  '0.0',
  '0.1',
  '0.2',
  ...[3, 4, 5, 6, 7, 8, 9].flatMap((tenths) => [`0.${tenths}p`, `0.${tenths}%`]),
]

const hiddenSelectors = [
  '[hidden]',
  ...['', ' '].flatMap((space) => [
    `[style*="display:${space}none" i]`,
    `[style$="font-size:${space}0" i]`,
    ...hiddenSizes.map((size) => `[style*="font-size:${space}${size}" i]`),
  ]),
]

serveJobs(readHtml)

function readHtml(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: { maxDepth: 200, maxChildNodes: 5_000, ellipsis: '[…]' },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, pathRewrite: shortenLink } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      ...hiddenSelectors.map((selector) => ({ selector, format: 'skip' })),
    ],
  })
}

function shortenLink(link: string): string {
  if (!/^(https?|mailto):/i.test(link)) return ''
  return link.length > maxLinkChars ? `${link.slice(0, maxLinkChars)}…` : link
}
