import { parentPort } from 'node:worker_threads'
import { convert } from 'html-to-text'

/*
 * The worker thread of `convert-html.ts`. A large newsletter takes a tenth of a second and hostile HTML many seconds,
 * which must not block the main thread.
 */

const maxLinkChars = 200

const hiddenSelectors = [
  '[hidden]',
  '[style*="display:none"]',
  '[style*="display: none"]',
  '[style*="font-size:0"]',
]

parentPort?.on('message', (html: string) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(readHtml(html))
})

// The main thread waits for this message before it sends HTML.
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
