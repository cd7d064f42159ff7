import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { toVisibleLine } from '../../lib/text.ts'
import { resetLinkHours, resetPath } from '../accounts/reset-link.ts'
import { createReset, deleteUser, disableUser, enableUser, listUsers } from './manage-users.ts'
import type { ManagedUser, ManageUsersDeps } from './manage-users.ts'

export const usage = `Usage: npm run users -- <command>

  list                   all users, with e-mail, status and last use
  reset <user>           prints a link with which the user chooses a new password
  disable <user>         ends everything of the user and refuses new sign-ins; keeps the data
  enable <user>          lets a disabled user sign in again
  delete <user> --yes    deletes the user with all data

<user> is an e-mail or an id. Write id:<id> when an id is the e-mail of another user.`

export interface UserCommandDeps {
  readonly config: Pick<Config, 'publicUrl' | 'oidc'>
  readonly database: Pick<Database, 'db'>
  readonly sealer: Sealer
  readonly now: () => number
}

/**
 * Runs one command of the operator and returns what it prints (§15.33, §15.34, §15.36).
 * @throws AppError when the user does not exist or the command does not apply
 */
export async function runUserCommand(
  { config, database, sealer, now }: UserCommandDeps,
  [command = '', name, ...rest]: readonly string[],
  { yes }: { readonly yes: boolean },
): Promise<string> {
  const { oidc, publicUrl } = config
  const issuer = oidc?.issuer ?? `${publicUrl}/oidc`
  const deps: ManageUsersDeps = { database, sealer, issuer, embedded: oidc === null, now }
  if (rest.length > 0) throw new Error(usage)
  if (command === 'list' && name === undefined) return describeUsers(await listUsers(deps))
  if (name === undefined) throw new Error(usage)
  switch (command) {
    case 'reset': {
      const { user, token } = await createReset(deps, name)
      return [
        `${nameOf(user)} chooses a new password with this link. It works once, for ${resetLinkHours} hours:`,
        `${issuer}${resetPath}?token=${token}`,
        'Give it to nobody else. Until it is used, the old password stays valid.',
      ].join('\n')
    }
    case 'disable':
      return `${nameOf(await disableUser(deps, name))} is disabled and signed out everywhere. The server stops replies and ends streams within two seconds; it also revokes the tokens of connectors and integrations.`
    case 'enable':
      return `${nameOf(await enableUser(deps, name))} may sign in again. Connectors and integrations whose tokens were revoked have to be connected again.`
    case 'delete':
      if (!yes) {
        throw new Error(
          `This deletes ${name} with all chats, bots, connectors, integrations and shared links. It cannot be undone. Repeat the command with --yes to delete.`,
        )
      }
      return `${nameOf(await deleteUser(deps, name))} is signed out everywhere, and the account and its shared links are deleted. The running server deletes all other data within seconds; if none runs, the next start does.`
    default:
      throw new Error(usage)
  }
}

/** A provider may have sent control characters, which would be commands to the terminal. */
function nameOf({ email, id }: ManagedUser): string {
  return toVisibleLine(email ?? id)
}

const kinds = { local: 'local', google: 'Google', provider: 'provider' } as const

/** A line for each user, with columns of equal width. */
function describeUsers(users: readonly ManagedUser[]): string {
  if (users.length === 0) return 'There are no users.'
  const rows = [
    ['E-MAIL', 'NAME', 'STATUS', 'SIGN-IN', 'CREATED', 'LAST USED', 'ID'],
    ...users.map(({ id, email, name, status, kind, createdAt, usedAt }) => [
      email ?? '-',
      name ?? '-',
      status,
      kinds[kind],
      formatDay(createdAt),
      usedAt === null ? '-' : formatDay(usedAt),
      id,
    ]),
  ].map((row) => row.map(toVisibleLine))
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
