import type { Grant } from '@yonder/contract/grant'
import type { ToolChange } from '@yonder/contract/tool-call'
import { formatClock, formatDay, formatMoment, formatRecent } from '../../lib/format-time.ts'

/** How far a grant goes, around the title of its chat: 'In the chat', the title as a link, ', until 15:10 · Ada'. */
export interface GrantReach {
  readonly before: string
  /** Whether the title of the chat stands between the two texts. */
  readonly inChat: boolean
  readonly after: string
  readonly rule: Grant['limits']['rule']
  readonly bot: string
}

export function describeReach({ limits }: Grant, now = new Date()): GrantReach {
  const { bot, chat_id, ends_at, rule } = limits
  const inChat = chat_id !== undefined
  const until = ends_at === undefined ? undefined : `until ${describeEnd(new Date(ends_at), now)}`
  return {
    before: inChat ? 'In the chat' : until === undefined ? 'Always' : `U${until.slice(1)}`,
    inChat,
    after: inChat && until !== undefined ? `, ${until}` : '',
    rule,
    bot: bot === null ? 'a bot that was deleted' : (bot ?? 'all bots'),
  }
}

function describeEnd(end: Date, now: Date): string {
  return formatDay(end) === formatDay(now) ? formatClock(end) : formatMoment(end)
}

/** Since when there is a grant, and how it was used: 'since 2026-10-02', 'used 14:01, 3 times'. */
export function describeUse(
  { permission, created_at, used_at, uses }: Grant,
  now = new Date(),
): readonly string[] {
  const since = created_at === null ? undefined : `since ${formatRecent(new Date(created_at), now)}`
  const times = uses === 1 ? 'once' : `${uses} times`
  const used =
    permission === 'block'
      ? undefined
      : used_at === null
        ? 'never used'
        : `used ${formatRecent(new Date(used_at), now)}, ${times}`
  return [since, used].filter((fact) => fact !== undefined)
}

const partNames: Readonly<Record<ToolChange['what'], string>> = {
  title: 'title',
  description: 'description',
  input: 'input',
  output: 'output',
  annotations: 'annotations',
  other: 'definition',
}

/** Why a grant allows nothing any more; undefined while it does. */
export function describeEnded({ ended, server, changes = [] }: Grant): string | undefined {
  switch (ended) {
    case undefined:
      return undefined
    case 'expired':
      return 'Ended, its time is over'
    case 'changed': {
      const parts = [...new Set(changes.map(({ what }) => partNames[what]))]
      return parts.length === 0
        ? 'Ended, the server changed this tool'
        : `Ended, the server changed this tool: ${parts.join(', ')}`
    }
    case 'gone':
      return `Ended, ${server} no longer has this tool`
    case 'always_asks':
      return 'Not in force, the operator of this server wants this tool to ask every time'
    case 'blocked_by_operator':
      return 'Not in force, the operator of this server has blocked this tool'
  }
}

/** The host to which the calls of a connector go. */
export function describeAddress(url: string): string {
  if (!URL.canParse(url)) return url
  const { protocol, host } = new URL(url)
  return /^https?:$/.test(protocol) ? host : 'built in'
}
