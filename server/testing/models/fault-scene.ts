import type { ServerResponse } from 'node:http'
import type { WireShape } from './wire-shapes.ts'

/** The request that a fault responds to. */
export interface FaultScene {
  readonly response: ServerResponse
  readonly shape: WireShape
  /** The request's key, as the wire format sends it. */
  readonly key: string
  /** The request's body. */
  readonly body: string
  /** How often this fault was requested, this request included. */
  readonly count: number
  /** An address on another origin, see `HostileModel.followedRedirects`. */
  readonly redirectTarget: string
}

export type Fault = (scene: FaultScene) => void | Promise<void>

export const faultUsage = { input: 5, output: 7 }

/** Sends the headers and the first event of a stream. */
export function beginReply(
  scene: FaultScene,
  headers: Readonly<Record<string, string>> = {},
): ServerResponse {
  scene.response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  scene.response.write(scene.shape.start('wire-model'))
  return scene.response
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Sends a complete reply without a fault; its text is "ok". */
export function replyOk(scene: FaultScene): void {
  beginReply(scene).end(scene.shape.text('ok') + scene.shape.finish('stop', faultUsage))
}
