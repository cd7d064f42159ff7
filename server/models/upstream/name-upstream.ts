import type { ModelEndpoint } from '../model-endpoint.ts'

/** How messages name an upstream: a person's own address by its host, the operator's without telling where it is. */
export function nameUpstream(endpoint: ModelEndpoint, url: URL): string {
  return endpoint.trusted === 'typed' ? url.host : 'The model provider'
}
