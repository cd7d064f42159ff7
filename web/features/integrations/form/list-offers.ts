import type { Integration } from '@yonder/contract/integration'

/** What can still be added, once it is known. */
export type Offers = 'loading' | 'failed' | readonly string[]

interface Read<Data> {
  readonly data?: Data | undefined
  readonly error?: Error | undefined
}

/** The integrations that a person has not added yet (§2.85). */
export function listOffers(types: Read<readonly string[]>, added: Read<readonly Integration[]>): Offers {
  if (types.data === undefined || added.data === undefined)
    return types.error === undefined && added.error === undefined ? 'loading' : 'failed'
  const taken = new Set(added.data.map(({ name }) => name))
  return types.data.filter((name) => !taken.has(name))
}
