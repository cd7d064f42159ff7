import { guardedFetch } from './guarded-fetch.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import type { AddressPolicy } from './address-policy.ts'

/** One guarded fetch for each source of an address, each with sockets of its own. */
export interface Guards {
  /** Addresses from the settings: not restricted. */
  readonly operatorSupplied: GuardedFetch
  /** Addresses that a user entered. */
  readonly userSupplied: GuardedFetch
  /** Addresses that another server returned. */
  readonly serverSupplied: GuardedFetch
  close(): Promise<void>
}

export function openGuards(policy: Omit<AddressPolicy, 'trust'>): Guards {
  const open = (trust: AddressPolicy['trust']) => guardedFetch({ policy: { ...policy, trust } })
  const guards = {
    operatorSupplied: open('operatorSupplied'),
    userSupplied: open('userSupplied'),
    serverSupplied: open('serverSupplied'),
  }
  return {
    ...guards,
    close: async () => {
      await Promise.all(Object.values(guards).map((guard) => guard.close()))
    },
  }
}
