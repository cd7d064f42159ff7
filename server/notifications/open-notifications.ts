import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { Api } from '../http/api.ts'
import type { Guards } from '../http/outgoing/guarded-fetch.ts'
import { registerNotificationRoutes } from './notification-routes.ts'
import type { PushKeys } from './push-keys.ts'
import { openSender, type SenderDeps } from './send-notices.ts'
import { tellEnd, tellQuestion, type ToldQuestion, type ToldRun } from './tell.ts'

/** The dependencies of the app that this domain uses. */
interface AppDeps extends Pick<SenderDeps, 'now'> {
  readonly database: Database
  readonly sealer: Sealer
  readonly guards: Guards
  readonly pushKeys: PushKeys
  readonly config: { readonly publicUrl: string; readonly pushContact: string }
}

/** Opens the notifications: stores what users are told, and sends it to their devices and webhooks. */
export function openNotifications(
  { database, sealer, guards, pushKeys, config, now }: AppDeps,
  { onChanged, onError }: Pick<SenderDeps, 'onChanged' | 'onError'>,
) {
  const { publicUrl, pushContact: contact } = config
  const deps: SenderDeps = {
    database,
    // A browser says where its push service is, so the address is not one that the user has chosen.
    push: { sealer, guard: guards.serverSupplied, keys: pushKeys, contact, publicUrl, now },
    webhook: { sealer, guard: guards.userSupplied, publicUrl, now },
    now,
    onChanged,
    onError,
  }
  const sender = openSender(deps)
  /** Under way, so that closing waits for it. */
  const telling = new Set<Promise<void>>()

  async function sendIfDue(stored: Promise<boolean>): Promise<void> {
    try {
      if (await stored) void sender.look()
    } catch (error) {
      onError(error)
    }
  }

  function follow(stored: Promise<boolean>): void {
    const told = sendIfDue(stored).finally(() => telling.delete(told))
    telling.add(told)
  }

  return {
    /** Call it when the end of a run is stored. Never throws. */
    onEnded: (run: ToldRun) => follow(tellEnd(deps, run)),
    /** Call it when a running call has asked the user something. Never throws. */
    onQuestion: (question: ToldQuestion) => follow(tellQuestion(deps, question)),
    /** Sends what is due now. */
    look: sender.look,
    register: (api: Api, { perMinute }: { readonly perMinute: number }) =>
      registerNotificationRoutes(api, {
        ...deps,
        presencePerMinute: perMinute,
        requireUrl: { push: guards.serverSupplied.requireUrl, webhook: guards.userSupplied.requireUrl },
      }),
    /** Must be called after the runs have ended, and before the database closes. */
    async close(): Promise<void> {
      await Promise.all(telling)
      await sender.close()
    },
  }
}
