import type { EndpointDraft, BotTest, BotTestResult, LocalModels, ModelList } from '@yonder/contract/bot'
import { useEffect, useRef, useState } from 'react'
import { readReason } from '../lib/api/api-error.ts'
import { useApi } from '../lib/api/api-provider.tsx'
import { botLabels } from './bots.ts'

/** The state of a provider's list of models, while the form is open. */
export type ModelListState =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading' }
  | ({ readonly kind: 'loaded' } & ModelList)

const none: ModelListState = { kind: 'none' }

/**
 * The models at the address of a draft. `load` does nothing if the draft is the same as in the previous request, unless
 * that request failed. Otherwise it aborts the previous request.
 */
export function useModelList() {
  const api = useApi()
  const [list, setList] = useState(none)
  const { begin } = useLatestRequest()
  const requested = useRef('')

  const load = async (draft: EndpointDraft) => {
    const key = JSON.stringify(draft)
    if (key === requested.current) return
    requested.current = key
    const signal = begin()
    setList({ kind: 'loading' })
    const answer = await api
      .post<ModelList>('/api/bot/models', draft, { signal })
      .catch((error: unknown): ModelList => {
        // The next `load` of the same draft tries again.
        if (!signal.aborted) requested.current = ''
        return { models: [], omitted: 0, problem: readReason(error, botLabels) }
      })
    if (!signal.aborted) setList(answer === undefined ? none : { kind: 'loaded', ...answer })
  }

  return { list, load: (draft: EndpointDraft) => void load(draft) }
}

/** A test of the draft, and its outcome until `clear` or the next test. Unmounting aborts it. */
export function useBotTest() {
  const api = useApi()
  const [pending, setPending] = useState(false)
  const [result, setResult] = useState<BotTestResult>()
  const { begin, cancel } = useLatestRequest()

  const run = async (draft: BotTest) => {
    const signal = begin()
    setPending(true)
    setResult(undefined)
    const answer = await api
      .post<BotTestResult>('/api/bot/test', draft, { signal })
      .catch((error: unknown): BotTestResult => ({ works: false, message: readReason(error, botLabels) }))
    if (signal.aborted) return
    setPending(false)
    setResult(answer)
  }

  const clear = () => {
    cancel()
    setPending(false)
    setResult(undefined)
  }

  return { pending, result, run: (draft: BotTest) => void run(draft), clear }
}

/**
 * The models of the Ollama that the server looks for: null if there is none, undefined until the server has
 * responded, and after a failure.
 */
export function useLocalModels(): LocalModels['local'] | undefined {
  const api = useApi()
  const [local, setLocal] = useState<LocalModels['local']>()
  useEffect(() => {
    let isMounted = true
    const load = async () => {
      // The user did not ask for these models, so a failure is not shown.
      const answer = await api.get<LocalModels>('/api/bot/local-models').catch(() => undefined)
      if (isMounted) setLocal(answer?.local)
    }
    void load()
    return () => {
      isMounted = false
    }
  }, [api])
  return local
}

/** Aborts the previous request when another begins, and the last one when the component is unmounted. */
function useLatestRequest() {
  const latest = useRef<AbortController>(undefined)
  useEffect(() => () => latest.current?.abort(), [])
  return {
    cancel: () => latest.current?.abort(),
    begin: (): AbortSignal => {
      latest.current?.abort()
      latest.current = new AbortController()
      return latest.current.signal
    },
  }
}
