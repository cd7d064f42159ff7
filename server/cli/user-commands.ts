import { resolve } from 'node:path'
import { readSnapshot } from '../db/read-snapshot.ts'
import { exportUser } from '../export/export-user.ts'
import { ofOneMoment } from '../export/read-exported-chat.ts'
import { invitations, resetLinks } from '../identity/accounts/operator-links.ts'
import {
  createReset,
  deleteUser,
  disableUser,
  enableUser,
  inviteUser,
  listUsers,
  readIssuer,
  requireManagedUser,
  type ManagedUser,
  type ManageUsersDeps,
} from '../identity/users/manage-users.ts'
import { toVisibleLine } from '../lib/text.ts'
import packageJson from '../package.json' with { type: 'json' }
import { withInstallation, type Cli, type Installation } from './cli.ts'
import { formatTable } from './format-table.ts'
import type { Result } from './terminal.ts'
import { writeNewFile } from './write-new-file.ts'

/** Adds `yonder users`, which manages users also while the server runs. */
export function addUserCommands(cli: Cli): void {
  const { terminal } = cli
  const users = cli.program
    .command('users')
    .description('list, invite, reset, disable, enable, delete and export users')
    .addHelpText('after', `\n${userHelp}`)
  /** Opens the installation for `work` and prints the result. */
  const manage = async (
    work: (deps: ManageUsersDeps, installation: Installation) => Promise<Result>,
  ): Promise<void> => {
    const result = await withInstallation(cli, (installation) =>
      work({ ...installation, ...readIssuer(installation.config), now: Date.now }, installation),
    )
    terminal.print(result)
  }
  users
    .command('list')
    .description('show all users with e-mail, status, kind of sign-in and last use')
    .action(() =>
      manage(async (deps) => {
        const list = await listUsers(deps)
        return { text: describeUsers(list), data: list.map(presentUser) }
      }),
    )
  users
    .command('invite <email>')
    .description('print a link with which the owner of the e-mail creates an account')
    .addHelpText('after', example('users invite ada@example.com'))
    .action((address: string) =>
      manage(async (deps) => {
        const { email, link } = await inviteUser(deps, address)
        return {
          text: [
            `The owner of ${email} can create an account with this link. It works once, within ${invitations.hours / 24} days:`,
            link.url,
            'Send it to nobody else. It replaces any earlier invitation of this e-mail.',
          ].join('\n'),
          data: { email, link: link.url, expires_at: formatTime(link.expiresAt) },
        }
      }),
    )
  users
    .command('reset <user>')
    .description('print a link with which the user chooses a new password')
    .addHelpText('after', example('users reset ada@example.com'))
    .action((name: string) =>
      manage(async (deps) => {
        const { user, link } = await createReset(deps, name)
        return {
          text: [
            `${nameOf(user)} can choose a new password with this link. It works once, within ${resetLinks.hours} hours:`,
            link.url,
            'Send it to nobody else. Until it is used, the old password stays valid.',
          ].join('\n'),
          data: { user: presentUser(user), link: link.url, expires_at: formatTime(link.expiresAt) },
        }
      }),
    )
  users
    .command('disable <user>')
    .description('sign the user out everywhere and refuse new sign-ins; keep the data')
    .addHelpText('after', example('users disable ada@example.com'))
    .action((name: string) =>
      manage(async (deps) =>
        describeChange(
          await disableUser(deps, name),
          'is disabled and signed out everywhere. The server stops replies and ends streams within two seconds; it also revokes the tokens of connectors and integrations.',
        ),
      ),
    )
  users
    .command('enable <user>')
    .description('let a disabled user sign in again')
    .addHelpText('after', example('users enable ada@example.com'))
    .action((name: string) =>
      manage(async (deps) =>
        describeChange(
          await enableUser(deps, name),
          'may sign in again. Connectors and integrations whose tokens were revoked have to be connected again.',
        ),
      ),
    )
  users
    .command('delete <user>')
    .description('delete the user with all data')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('users delete ada@example.com', 'users delete id:google-oauth2|1 --yes'))
    .action((name: string) =>
      manage(async (deps) => {
        const user = await requireManagedUser(deps, name)
        await terminal.confirm(
          `This deletes ${nameOf(user)} with all chats, bots, connectors, integrations and shared links. It cannot be undone.`,
        )
        return describeChange(
          // By id, so that exactly the confirmed user is deleted.
          await deleteUser(deps, `id:${user.id}`),
          `is signed out everywhere, and ${deps.embedded ? 'the account and its shared links are' : 'the shared links are'} deleted. The running server deletes all other data within seconds; if none runs, the next start does.${deps.embedded ? '' : ' Remove the user at the provider too.'}`,
        )
      }),
    )
  users
    .command('export <user> <file>')
    .description('write everything that is stored about the user to a new ZIP')
    .addHelpText(
      'after',
      `
The ZIP has the profile, sign-ins, projects, bots, connectors, integrations, shared links, usage, tool calls, long texts
of prompts, and all chats with every version of their messages and their files. It has no keys, tokens or passwords.
Only you can read it. Users can import it.
${example('users export ada@example.com ada.zip')}`,
    )
    .action((name: string, file: string) =>
      manage(async (deps, { database, config }) => {
        const user = await requireManagedUser(deps, name)
        let chats = 0
        const onChat = (done: number, total: number): void => {
          chats = total
          if (done > 0) terminal.progress(`Chat ${done} of ${total}`)
        }
        const { version } = packageJson
        const bytes = await readSnapshot(database, (snapshot) =>
          writeNewFile(
            resolve(file),
            exportUser(
              { source: ofOneMoment(snapshot), publicUrl: config.publicUrl, version, now: Date.now, onChat },
              user,
            ),
          ),
        )
        return {
          text: `The data of ${nameOf(user)} is in ${toVisibleLine(file)} (${count(chats, 'chat')}, ${bytes.toLocaleString('en')} bytes).`,
          data: { user: presentUser(user), file: resolve(file), chats, bytes },
        }
      }),
    )
}

const userHelp = `<user> is an e-mail or an id. Write id:<id> when several users have this e-mail or id.

Examples:
  yonder users list --json
  yonder users invite ada@example.com
  yonder users export ada@example.com ada.zip`

function example(...commands: readonly string[]): string {
  return `\n${commands.length > 1 ? 'Examples' : 'Example'}:\n${commands.map((command) => `  yonder ${command}`).join('\n')}`
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

function describeChange(user: ManagedUser, what: string): Result {
  return { text: `${nameOf(user)} ${what}`, data: { user: presentUser(user) } }
}

/** A user in the output for programs. */
function presentUser({ id, email, name, kind, status, createdAt, usedAt }: ManagedUser) {
  return {
    id,
    email,
    name,
    status,
    sign_in: kind,
    created_at: formatTime(createdAt),
    last_used_at: usedAt === null ? null : formatTime(usedAt),
  }
}

/** A provider may have sent control characters, which a terminal would obey. */
function nameOf({ email, id }: ManagedUser): string {
  return toVisibleLine(email ?? id)
}

const kinds = { local: 'local', google: 'Google', provider: 'provider' } as const

/** A heading and a line for each user, in aligned columns. */
function describeUsers(users: readonly ManagedUser[]): string {
  if (users.length === 0) return 'There are no users.'
  return formatTable([
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
  ])
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function formatDay(milliseconds: number): string {
  return formatTime(milliseconds).slice(0, 10)
}
