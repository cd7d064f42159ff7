import { lazy, Suspense, useRef, type ReactNode } from 'react'
import { useStore } from '../../lib/store.ts'
import { thingsToTryPreference } from '../preferences/things-to-try.ts'
import { drafts, restoreDraft, storageKeys } from './chat-storage.ts'
import { useBotChoice } from './composer/bot-select.tsx'
import { focusInput } from './composer/composer.tsx'
import { NewChat } from './new-chat.tsx'

// Without its code, which may fail to load, nothing is missing.
const ThingsToTry = lazy(() =>
  import('./home/things-to-try.tsx').then(
    (part) => ({ default: part.ThingsToTry }),
    () => ({ default: () => null }),
  ),
)

export interface HomeViewProps {
  readonly userName: string | null | undefined
  /** Shown below the input, beside the things to try. */
  readonly children?: ReactNode
}

/** The greeting, the input for the first message of a new chat, and ways to begin. */
export function HomeView({ userName, children }: HomeViewProps) {
  const choice = useBotChoice(storageKeys.homeBot)
  const input = useRef<HTMLTextAreaElement>(null)
  const tried = useRef('')
  const showsThings = useStore(thingsToTryPreference, (preference) => preference !== 'hidden')
  const tryThing = (text: string) => {
    // A message that is being sent cannot be changed.
    if (input.current?.readOnly === true) return
    const draft = drafts.read(storageKeys.homeDraft)
    // What the user has written stays.
    if (draft === '' || draft === tried.current) drafts.write(storageKeys.homeDraft, text)
    else restoreDraft(storageKeys.homeDraft, text)
    tried.current = text
    focusInput(input.current)
  }
  return (
    // The space above and below does not depend on what is below the input, which arrives later.
    <div className="mx-auto flex w-full max-w-column flex-1 flex-col px-4 before:shrink-0 before:grow before:basis-8 sm:px-6">
      <div className="flex flex-col gap-8">
        <div className="text-center">
          <h1 className="text-2xl font-semibold tracking-tight text-balance">
            Welcome, <bdi>{userName?.trim() || 'there'}</bdi>.
          </h1>
          <p className="mt-1 text-lg text-muted">How can I help you today?</p>
        </div>
        <NewChat ref={input} choice={choice} draftKey={storageKeys.homeDraft} />
      </div>
      <div className="min-h-0 shrink-0 grow basis-[14vh]">
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] gap-6 px-1.5 py-6">
          {children}
          {showsThings && (
            <Suspense>
              <ThingsToTry bot={choice.selected} onTry={tryThing} onHide={() => focusInput(input.current)} />
            </Suspense>
          )}
        </div>
      </div>
    </div>
  )
}
