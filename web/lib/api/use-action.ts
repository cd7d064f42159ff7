import { useState } from 'react'
import { useSWRConfig, type ScopedMutator } from 'swr'
import { logError } from '../log-error.ts'
import { toast, type ToastAction } from '../toasts.ts'
import type { ApiClient } from './api-client.ts'
import { useApi } from './api-provider.tsx'

/**
 * Updates a read after the user's action: replaces its data by what `change` returns, or reads it again without
 * `change`. Replaced data is read again only while the live stream, which announces the change, is not open, and where
 * nothing was loaded, because `change` cannot know the rest then.
 */
export type UpdateRead = <Data>(key: string, change?: (data: Data | undefined) => Data | undefined) => unknown

export interface ActionOptions<Input, Answer> {
  /** Calls the server. `undefined` means that the user was signed out by a 401. */
  readonly call: (api: ApiClient, input: Input) => Promise<Answer | undefined>
  /** Updates the cached data after a success, before the toast. */
  readonly update?: (update: UpdateRead, answer: Answer, input: Input) => unknown
  /** The toast after a success; none if this is absent or returns undefined. */
  readonly success?: (answer: Answer, input: Input) => string | undefined
  /** What the toast after a success offers. */
  readonly offer?: (answer: Answer, input: Input) => ToastAction | undefined
  /** Undoes the action while its toast, which stays longer then, is shown; none if it returns undefined. */
  readonly undo?: (answer: Answer, input: Input) => (() => void) | undefined
  /** The toast after a failure, which is also logged to the console. */
  readonly failure: (error: unknown, input: Input) => string
  /** `false` for a failure that is only logged. */
  readonly isFailureShown?: boolean
  /** Loads cached data again after a failure, if outdated data may be the reason. */
  readonly refresh?: ((mutate: ScopedMutator) => unknown) | undefined
}

export type ActionResult<Answer> =
  | { readonly done: true; readonly answer: Answer }
  /** Without an error if the user was signed out. */
  | { readonly done: false; readonly error?: unknown }

export interface Action<Input, Answer> {
  /** Never rejects. A failure is logged, and shown unless `isFailureShown` is false. */
  readonly run: (input: Input) => Promise<ActionResult<Answer>>
  readonly pending: boolean
}

/**
 * A change that the user makes on the server: the call, the update of cached data, and the toasts. It does not
 * prevent a second run while the first is pending.
 */
export function useAction<Input, Answer>(options: ActionOptions<Input, Answer>): Action<Input, Answer> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  const [runs, setRuns] = useState(0)
  return {
    pending: runs > 0,
    async run(input) {
      setRuns((count) => count + 1)
      const result = await runAction(options, api, mutate, input)
      setRuns((count) => count - 1)
      return result
    },
  }
}

async function runAction<Input, Answer>(
  {
    call,
    update,
    success,
    offer,
    undo,
    failure,
    isFailureShown = true,
    refresh,
  }: ActionOptions<Input, Answer>,
  api: ApiClient,
  mutate: ScopedMutator,
  input: Input,
): Promise<ActionResult<Answer>> {
  try {
    const answer = await call(api, input)
    if (answer === undefined) return { done: false }
    void update?.(updateWith(mutate, api), answer, input)
    const text = success?.(answer, input)
    const undone = undo?.(answer, input)
    if (text !== undefined && undone !== undefined) toast.undo(text, undone)
    else if (text !== undefined) toast.success(text, offer?.(answer, input))
    return { done: true, answer }
  } catch (error) {
    const message = failure(error, input)
    if (isFailureShown) toast.error(message)
    logError(message, error)
    void refresh?.(mutate)
    return { done: false, error }
  }
}

function updateWith(mutate: ScopedMutator, { live }: ApiClient): UpdateRead {
  return <Data>(key: string, change?: (data: Data | undefined) => Data | undefined) => {
    if (change === undefined) return mutate(key)
    let isLoaded = false
    const changeLoaded = (data: Data | undefined): Data | undefined => {
      isLoaded = data !== undefined
      return change(data)
    }
    return mutate<Data>(key, changeLoaded, { revalidate: () => !isLoaded || live.state.get() !== 'open' })
  }
}
