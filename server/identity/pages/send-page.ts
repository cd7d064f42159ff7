import type { FastifyReply } from 'fastify'
import { renderPage } from './render-page.ts'
import type { Page } from './render-page.ts'

export function sendPage(reply: FastifyReply, page: Page, status = 200): FastifyReply {
  const { document, policy } = renderPage(page)
  return reply
    .status(status)
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(document)
}
