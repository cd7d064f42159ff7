import type { Connector } from '@yonder/contract/connector'

/** Where a connector's calls go, in a word: its host, or that they stay here. */
export function describeAddress({ url, is_default }: Pick<Connector, 'url' | 'is_default'>): string {
  if (!URL.canParse(url)) return url
  const { protocol, host } = new URL(url)
  return is_default && !/^https?:$/.test(protocol) ? 'built in' : host
}
