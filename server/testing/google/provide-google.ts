import { afterEach, beforeEach, expect } from 'vitest'
import type { ApiStandIn } from './api-stand-in.ts'
import { openGoogleClient } from './open-google-client.ts'
import type { GoogleTestClient } from './open-google-client.ts'

type OpenArguments = Parameters<typeof openGoogleClient>

export type ProvidedGoogle<Api extends ApiStandIn> = GoogleTestClient & { readonly api: Api }

/** A connector with an API of Google behind it, both new for each test of a file; to be read inside of tests only. */
export function provideGoogle<Api extends ApiStandIn>(
  createApi: () => Api,
  connector: OpenArguments[0],
  options?: OpenArguments[2],
): ProvidedGoogle<Api> {
  const provided = {} as ProvidedGoogle<Api>
  beforeEach(async () => {
    const api = createApi()
    Object.assign(provided, { api }, await openGoogleClient(connector, api, options))
  })
  afterEach(async () => {
    await provided.close()
    // Whatever a test did, every request was as Google's discovery document says.
    expect(provided.api.problems).toEqual([])
  })
  return provided
}
