import type { ApiType } from '@yonder/contract/bot'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { modelLimits, type ModelDeps, type ModelLimits } from '../adapter.ts'
import type { ListedModel } from '../catalogue/listed-models.ts'
import { buildModelUrl, nameUpstream, readApiKey, secretsOf, type ModelEndpoint } from '../endpoint.ts'
import { ModelFailure, RefusedOption, toFailedPart } from '../failure.ts'
import {
  confidentialTexts,
  type ModelOptions,
  type ModelRequest,
  type ModelStream,
  type ModelStreamOptions,
} from '../model.ts'
import { explainRefusal } from '../refusal.ts'
import { noteSource, ReplyParts } from '../reply-parts.ts'
import { findRefusedField, type OptionalField } from './optional-fields.ts'
import type { ActiveCall, CallTarget } from './post-model-call.ts'

/** How a request is written for servers that do not support all of it. */
export interface Dialect {
  /** Optional fields that are not sent. */
  readonly leftOut: readonly OptionalField[]
}

/** How models of one API type are called. `Own` is its dialect. */
export interface ReplyFormat<Own extends Dialect> {
  readonly apiType: ApiType
  /** The path appended to the base address when the endpoint has no path of its own. */
  defaultPath(model: string): string
  firstDialect(request: ModelRequest, url: URL): Own
  /**
   * The dialect to try next after an error; undefined when another dialect would not help. `rejection` is what the
   * upstream said about the error (`ModelFailure.rejection`), and not empty.
   */
  adaptDialect(dialect: Own, rejection: string, request: ModelRequest): Own | undefined
  /** Calls the model once, and adds what arrives to the parts. Rejects when the call fails. */
  call(attempt: Attempt<Own>): Promise<void>
}

/** One call of a model, which may be followed by another one in another dialect. */
export interface Attempt<Own extends Dialect> {
  readonly target: CallTarget
  readonly guard: GuardedFetch
  readonly limits: ModelLimits
  readonly request: ModelRequest
  readonly dialect: Own
  /** What the provider's list says about the model, as far as it was read. */
  readonly listed: ListedModel
  readonly parts: ReplyParts
  readonly signal: AbortSignal
  /** Called when parts may be waiting. */
  readonly onReadable: () => void
  readonly onWhole: ModelStreamOptions['onWhole']
  /** Called with the body that is sent, and with the call if its data waits until it is read. */
  readonly onSent: (body: string, call?: ActiveCall) => void
}

/** What a model took: a dialect, and a request without the options that it refused. */
interface Accepted<Own extends Dialect> {
  readonly dialect: Own
  readonly omitted: readonly (keyof ModelOptions)[]
}

/**
 * Calls a model, and again in another dialect, or without an option, when it refuses what was sent. What it took is
 * remembered.
 */
export function streamReply<Own extends Dialect>(
  endpoint: ModelEndpoint,
  format: ReplyFormat<Own>,
  { guards, limits = modelLimits, dialects: memory, listedModels }: ModelDeps,
): ModelStream {
  const guard = guards[endpoint.addressSource]

  return (request, { signal, onReadable, onWhole }) => {
    const parts = new ReplyParts(limits, secretsOf(endpoint))
    let activeCall: ActiveCall | undefined
    let sentBody = ''

    async function callUntilAccepted(): Promise<void> {
      const target = findTarget(endpoint, format, request)
      guard.requireUrl(target.url)
      const key = JSON.stringify([format.apiType, target.url.href, request.model, request.options])
      let tried = (memory?.get(key) as Accepted<Own> | undefined) ?? {
        dialect: format.firstDialect(request, target.url),
        omitted: [],
      }
      for (const option of tried.omitted) parts.add({ type: 'option_omitted', option })
      let isAdapted = false
      while (!signal.aborted) {
        const sent = withoutOptions(request, tried.omitted)
        try {
          await call(target, sent, tried.dialect)
          if (isAdapted) memory?.set(key, tried)
          return
        } catch (error) {
          if (signal.aborted || parts.hasContent) throw error
          const reason = explainRefusal(error, sent, target.upstream, sentBody)
          const next = findNext(tried, sent, error, reason)
          if (next === undefined) {
            // Whatever else was refused, the fields were taken.
            if (reason !== error && isAdapted) memory?.set(key, tried)
            // What was remembered may be the reason, so the next call starts afresh.
            else if (reason === error && readRejection(error) !== '') memory?.delete(key)
            throw reason
          }
          tried = next
          isAdapted = true
        }
      }
    }

    function call(target: CallTarget, sent: ModelRequest, dialect: Own): Promise<void> {
      parts.begin()
      return format.call({
        target,
        guard,
        limits,
        request: sent,
        dialect,
        listed: listedModels?.find(endpoint, request.model) ?? {},
        parts,
        signal,
        onReadable: () => onReadable(parts.isFull),
        onWhole,
        onSent(body, active) {
          sentBody = body
          activeCall = active
        },
      })
    }

    /** What to try after a refusal: another dialect, or the request without a field or an option. */
    function findNext(
      { dialect, omitted }: Accepted<Own>,
      sent: ModelRequest,
      error: unknown,
      reason: unknown,
    ): Accepted<Own> | undefined {
      const rejection = readRejection(error)
      if (rejection !== '') {
        const next = format.adaptDialect(dialect, rejection, sent)
        if (next !== undefined) return { dialect: next, omitted }
        const field = findRefusedField(rejection, sentBody)
        if (field !== undefined && !dialect.leftOut.includes(field))
          return { dialect: { ...dialect, leftOut: [...dialect.leftOut, field] }, omitted }
      }
      if (!(reason instanceof RefusedOption)) return undefined
      const { option } = reason
      parts.add({ type: 'option_omitted', option })
      return { dialect, omitted: [...omitted, option] }
    }

    return {
      drain() {
        activeCall?.read()
        // Only a refusal needs it, which is no longer possible, and a reply may take many minutes.
        if (sentBody !== '' && parts.hasContent) sentBody = ''
        return signal.aborted ? [] : parts.drain()
      },
      closed: callUntilAccepted().catch((error: unknown) => {
        if (!signal.aborted) parts.add(toFailedPart(error))
      }),
    }
  }
}

function findTarget<Own extends Dialect>(
  endpoint: ModelEndpoint,
  { apiType, defaultPath }: ReplyFormat<Own>,
  request: ModelRequest,
): CallTarget {
  const url = buildModelUrl(endpoint, defaultPath(request.model), request.model)
  const key = readApiKey(endpoint.apiKey)
  return {
    url,
    upstream: nameUpstream(endpoint, url),
    source: noteSource({ apiType, url, model: request.model, key }),
    confidential: { key, contents: confidentialTexts(request) },
  }
}

function withoutOptions(request: ModelRequest, omitted: readonly (keyof ModelOptions)[]): ModelRequest {
  if (omitted.length === 0) return request
  const sent = Object.entries(request.options ?? {}).filter(
    ([name]) => !omitted.includes(name as keyof ModelOptions),
  )
  return { ...request, options: Object.fromEntries(sent) }
}

function readRejection(error: unknown): string {
  return error instanceof ModelFailure ? error.rejection : ''
}
