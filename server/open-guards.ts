import type { Config } from './config/config.ts'
import { guardedFetch } from './http/outgoing/guarded-fetch.ts'
import type { GuardedFetch } from './http/outgoing/guarded-fetch.ts'

/** One way out for each who may name an address; each has sockets of its own. */
export interface Guards {
  /** Addresses from the settings: not restricted. */
  readonly operator: GuardedFetch
  /** Addresses that a person typed. */
  readonly typed: GuardedFetch
  /** Addresses that another server answered with. */
  readonly named: GuardedFetch
  close(): Promise<void>
}

const postgresPort = 5432

export function openGuards(config: Config, otherOwnPorts: readonly number[] = []): Guards {
  const open = (trust: 'operator' | 'typed' | 'named'): GuardedFetch =>
    guardedFetch({
      policy: {
        trust,
        allowedPrivateHosts: config.allowedPrivateHosts,
        loopbackInstallation: config.loopback,
        ownPorts: [config.port, ...databasePorts(config.databaseUrl), ...otherOwnPorts],
      },
    })
  const guards = { operator: open('operator'), typed: open('typed'), named: open('named') }
  return {
    ...guards,
    close: async () => {
      await Promise.all(Object.values(guards).map((guard) => guard.close()))
    },
  }
}

function databasePorts(databaseUrl: string | null): readonly number[] {
  return databaseUrl === null ? [] : [Number(new URL(databaseUrl).port || postgresPort)]
}
