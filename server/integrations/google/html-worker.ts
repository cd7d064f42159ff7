import { parentPort } from 'node:worker_threads'
import { convert } from 'html-to-text'

/*
 * The worker thread of `convert-html.ts`. A large newsletter takes a tenth of a second and hostile HTML many seconds,
 * which must not block the main thread.
 */

const maxLinkChars = 200

/** The sizes of text that is hidden. Other sizes can begin with a zero too, such as `0.9em`. */
const hiddenSizes = ['0;', '0 ', '0!', '0px', '0pt', '0em', '0rem', '0%', '0.0']

const hiddenSelectors = [
  '[hidden]',
  ...['', ' '].flatMap((space) => [
    `[style*="display:${space}none"]`,
    `[style$="font-size:${space}0"]`,
    ...hiddenSizes.map((size) => `[style*="font-size:${space}${size}"]`),
  ]),
]

parentPort?.on('message', (html: string) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(readHtml(html))
})

// The main thread waits for this message before it sends the first HTML.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(null)

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
