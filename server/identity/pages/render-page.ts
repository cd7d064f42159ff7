import type { FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import { html, raw } from './html.ts'
import type { Markup } from './html.ts'
import { pageScript, pageStyle } from './page-assets.ts'

export interface Page {
  readonly title: string
  /** One or two sentences under the title. */
  readonly text: string
  readonly body: Markup
  /** Added to the script of all pages. */
  readonly script?: string
}

export interface RenderedPage {
  readonly document: string
  /** The content security policy, which allows only the style sheet and the script of this page. */
  readonly policy: string
}

/** Renders a page of the provider: the logo, a title, a text and a body. The page loads no other resources. */
export function renderPage({ title, text, body, script = '' }: Page): RenderedPage {
  const code = pageScript + script
  const markup = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Yonder</title>
        <link rel="icon" href="${icon}" />
        <style>
          ${raw(pageStyle)}
        </style>
      </head>
      <body>
        <main>
          <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
            <circle cx="16" cy="16" r="16" />
            <path d="M9.5 8.5 16 17.2l6.5-8.7M16 17.2v7.3" />
          </svg>
          <h1>${title}</h1>
          <p class="sentence">${text}</p>
          ${body}
        </main>
        <script>
          ${raw(code)}
        </script>
      </body>
    </html>`
  const document = markup.text
  const policy = [
    "default-src 'none'",
    `style-src '${hash(readElement(document, 'style'))}'`,
    `script-src '${hash(readElement(document, 'script'))}'`,
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { document, policy }
}

const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>circle{fill:#2f6f6a}path{stroke:#fff}@media(prefers-color-scheme:dark){circle{fill:#7fc4bd}path{stroke:#161718}}</style><circle cx="16" cy="16" r="16" /><path d="M9.5 8.5 16 17.2l6.5-8.7M16 17.2v7.3" fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>',
  )

function readElement(document: string, name: string): string {
  return new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(document)?.[1] ?? ''
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

export function sendPage(reply: FastifyReply, page: Page, status = 200): FastifyReply {
  const { document, policy } = renderPage(page)
  return reply
    .status(status)
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(document)
}

/** A page that explains what happened and has one link to continue. */
export function noticePage(
  title: string,
  text: string,
  link: { readonly text: string; readonly href: string } = { text: 'Back to Yonder', href: '/' },
): Page {
  return { title, text, body: html`<a class="button" href="${link.href}">${link.text}</a>` }
}
