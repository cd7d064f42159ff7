import { parentPort } from 'node:worker_threads'
import { convert } from 'html-to-text'

/*
 * Turns HTML into text on a thread of its own: a large newsletter takes a tenth of a second, hostile HTML takes many, and
 * nobody else waits for it.
 */

const longestLink = 200

const hidden = ['[hidden]', '[style*="display:none"]', '[style*="display: none"]', '[style*="font-size:0"]']

parentPort?.on('message', (html: string) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(readHtml(html))
})

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
      ...hidden.map((selector) => ({ selector, format: 'skip' })),
    ],
  })
}

function shortenLink(link: string): string {
  if (!/^(https?|mailto):/i.test(link)) return ''
  return link.length > longestLink ? `${link.slice(0, longestLink)}…` : link
}
