import type { FastifyInstance, FastifyReply } from 'fastify'
import type { FormTarget } from '../pages/fields.ts'
import { noticePage, PageError, sendPage, type Page } from '../pages/render-page.ts'
import { basePath, hasFormToken, makeFormToken, type PageDeps, type PageRequest } from './forms.ts'

/** A page that a link with a token opens, and its form. */
export interface LinkPage<Found> {
  /** The path below the issuer. */
  readonly path: string
  /** What the page says when the link is not valid. */
  readonly invalid: string
  /** Returns what the link is for, or undefined when the token is not valid. */
  find(token: unknown): Promise<Found | undefined>
  show(opened: OpenedLink<Found>): Page
  /** Does what the form asks for. Resolves to undefined when the link is not valid any more. */
  submit(
    opened: OpenedLink<Found>,
    fields: Readonly<Record<string, string>>,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined>
}

export interface OpenedLink<Found> {
  readonly found: Found
  readonly token: string
  readonly form: FormTarget
}

export function registerLinkPage<Found>(
  scope: FastifyInstance,
  { provider, formKey }: Pick<PageDeps, 'provider' | 'formKey'>,
  link: LinkPage<Found>,
): void {
  const path = basePath(provider) + link.path
  const invalid = new PageError(noticePage('This link is not valid', link.invalid), 403)
  const subjectOf = (token: string) => `${link.path} ${token}`

  async function open({ query }: PageRequest): Promise<OpenedLink<Found>> {
    const found = await link.find(query.token)
    if (found === undefined) throw invalid
    const token = String(query.token)
    const action = `${path}?token=${encodeURIComponent(token)}`
    return { found, token, form: { action, token: makeFormToken(formKey, subjectOf(token)) } }
  }

  scope.get(path, async (request: PageRequest, reply) => sendPage(reply, link.show(await open(request))))

  scope.post(path, async (request: PageRequest, reply) => {
    const opened = await open(request)
    if (!hasFormToken(formKey, subjectOf(opened.token), request)) throw invalid
    const sent = await link.submit(opened, request.body ?? {}, reply)
    if (sent === undefined) throw invalid
    return sent
  })
}
