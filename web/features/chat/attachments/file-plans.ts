import type { Bot } from '@yonder/contract/bot'
import type { FilePlan } from '@yonder/contract/file'
import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FileRef } from '@yonder/contract/message'
import { useEffect, useState } from 'react'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { logError } from '../../../lib/log-error.ts'
import { isLocal } from './upload-state.ts'

/** Changes that follow each other within this time are asked about once. */
const debounceMs = 150
/** The bots that are asked whether they can see pictures. */
const maxAskedBots = 8

const readPlans = async (api: ApiClient, botName: string, files: readonly string[], signal: AbortSignal) =>
  (await api.post<{ readonly files: readonly FilePlan[] }>('/api/files/plan', { botName, files }, { signal }))
    ?.files

export interface FilePlans {
  /** How the bot's model will be given each file; undefined while that is not known. */
  readonly planOf: (id: string) => FilePlan | undefined
  /** The tokens of the known plans. */
  readonly tokens: number
  /** The ids of files that the server does not have any more. */
  readonly gone: ReadonlySet<string>
}

interface Answer {
  readonly key: string
  readonly asked: readonly string[]
  readonly plans: readonly FilePlan[]
}

/** Asks how the model of a bot will be given the stored ones of these files, again after each change of either. */
export function useFilePlans(files: readonly FileRef[], botName: string | undefined): FilePlans {
  const api = useApi()
  const [answer, setAnswer] = useState<Answer>()
  const stored = files.filter((file) => !isLocal(file)).map(({ id }) => id)
  const key = JSON.stringify([botName, stored])
  useEffect(() => {
    const [bot, asked] = JSON.parse(key) as [string | null, readonly string[]]
    if (bot === null || asked.length === 0) return
    const ended = new AbortController()
    const timer = setTimeout(() => {
      readPlans(api, bot, asked, ended.signal).then(
        (plans) => plans && !ended.signal.aborted && setAnswer({ key, asked, plans }),
        (error: unknown) => ended.signal.aborted || logError('Error planning files', error),
      )
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [api, key])
  // The plans of the former files stay until the next answer, but not those of another bot.
  const isOfBot = answer !== undefined && (JSON.parse(answer.key) as unknown[])[0] === (botName ?? null)
  const plans = isOfBot ? answer.plans.filter(({ id }) => stored.includes(id)) : []
  const gone = isOfBot ? answer.asked.filter((id) => !answer.plans.some((plan) => plan.id === id)) : []
  return {
    planOf: (id) => plans.find((plan) => plan.id === id),
    tokens: plans.reduce((sum, plan) => sum + plan.tokens, 0),
    gone: new Set(gone.filter((id) => stored.includes(id))),
  }
}

/** Finds another bot that can see pictures that the selected one cannot; undefined while there is none. */
export function useSeeingBot(pictures: readonly string[], others: readonly Bot[]): string | undefined {
  const api = useApi()
  const [found, setFound] = useState<{ readonly key: string; readonly name: string | undefined }>()
  const names = others.slice(0, maxAskedBots).map(({ name }) => name)
  const key = JSON.stringify([pictures, names])
  useEffect(() => {
    const [ids, bots] = JSON.parse(key) as [readonly string[], readonly string[]]
    if (ids.length === 0) return
    const ended = new AbortController()
    const seek = async () => {
      for (const name of bots) {
        const plans = await readPlans(api, name, ids, ended.signal)
        if (plans === undefined) return
        if (plans.length > 0 && plans.every((plan) => plan.as !== 'name')) return setFound({ key, name })
      }
      setFound({ key, name: undefined })
    }
    seek().catch((error: unknown) => ended.signal.aborted || logError('Error planning files', error))
    return () => ended.abort()
  }, [api, key])
  return found?.key === key ? found.name : undefined
}

/** The pictures of which the model gets only the names. */
export function unseenPictures(files: readonly FileRef[], { planOf }: FilePlans): readonly FileRef[] {
  return files.filter(({ id, type }) => isPicture(type) && planOf(id)?.as === 'name')
}

/** Says how a model will be given a file, such as 'As text, 12 of 40 pages'; undefined for a file that it gets as it is. */
export function describePlan({ as, part, reason }: FilePlan): string | undefined {
  if (as === 'name') return reason === undefined ? 'Only its name' : `Only its name: ${reason}`
  if (as !== 'text') return undefined
  if (part === undefined) return 'As text'
  const { unit, given, total } = part
  const count = (number: number) => number.toLocaleString('en')
  return `As text, ${count(given)} of ${count(total)} ${unit}${total === 1 ? '' : 's'}`
}
