import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadTarget } from './bench-messages.ts'
import { startProduct, type Product } from './start-measured-product.ts'
import { partPath, startProcess, type RunningProcess } from './start-process.ts'

/** A process that streams tokens: the upstream itself, or what passes its tokens on. */
export interface Target {
  readonly name: string
  readonly process: RunningProcess
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One body for each stream. */
  bodies(model: string, count: number): Promise<readonly unknown[]>
}

/**
 * Starts an upstream with these models, and in front of it a bare relay and the built product. `oldFolder` is a clone
 * with an older build, which is started too.
 */
export async function openTargets(models: readonly string[], oldFolder?: string) {
  const oldMain = oldFolder === undefined ? undefined : join(oldFolder, 'server/dist/main.js')
  if (oldMain !== undefined && !existsSync(oldMain)) throw new Error(`There is no build at ${oldMain}.`)
  const upstream = await startProcess(partPath('scripted-upstream'))
  const folder = mkdtempSync(join(tmpdir(), 'yonder-relay-'))
  const relay = await startProcess(partPath('bare-relay'), [upstream.line, join(folder, 'bare.sqlite')])
  const product = await startProduct(upstream.line, models)
  const old = oldMain === undefined ? undefined : await startProduct(upstream.line, models, oldMain)
  const messages = [{ role: 'user', content: 'go' }]
  return {
    upstream: {
      name: 'upstream',
      process: upstream,
      url: `${upstream.line}/v1/chat/completions`,
      headers: {},
      bodies: (model: string, count: number) =>
        Promise.resolve(Array.from({ length: count }, () => ({ model }))),
    },
    relay: {
      name: 'bare relay',
      process: relay,
      url: relay.line,
      headers: {},
      bodies: (model: string, count: number) =>
        Promise.resolve(Array.from({ length: count }, () => ({ model, messages, stream: true }))),
    },
    product: toTarget('product', product),
    /** Another build of the product. */
    old: old && toTarget('old build', old),
    end: async () => {
      await Promise.all([product.end(), old?.end(), relay.end(), upstream.end()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function toTarget(name: string, product: Product): Target {
  return {
    name,
    process: product,
    url: `${product.base}/api/chat/completions`,
    headers: product.headers,
    bodies: async (model, count) =>
      (await product.newChats(count)).map((chatId) => ({ chatId, botName: model, content: 'go' })),
  }
}

/** Prepares a load of this many streams; in the product, each has a chat of its own. */
export async function toLoad(target: Target, model: string, streams: number): Promise<LoadTarget> {
  return { url: target.url, headers: target.headers, bodies: await target.bodies(model, streams) }
}
