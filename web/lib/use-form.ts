import { useRef, useState, type RefCallback, type SubmitEvent } from 'react'
import { flushSync } from 'react-dom'

/** The problem of each invalid field, in the order of the form. */
export type Problems<Field extends string> = { readonly [Name in Field]?: string | undefined }

export interface FormOptions<Draft, Field extends string> {
  readonly initial: () => Draft
  /** Returns the problems that prevent the submission; empty if there are none. */
  readonly check: (draft: Draft, control: (field: Field) => HTMLElement | undefined) => Problems<Field>
  /** Returns the problems that the server found, if there are any for a field. */
  readonly submit: (draft: Draft) => Promise<Problems<Field> | undefined | void>
  /** Whether a change clears the problems of the changed fields, or all of them. */
  readonly clears?: 'changed' | 'all'
}

/** Whether a form contains something that the user entered and that is not saved, or that is being saved. */
export type Changes = 'none' | 'unsaved' | 'saving'

export function describeChanges(isChanged: boolean, isPending: boolean): Changes {
  if (!isChanged) return 'none'
  return isPending ? 'saving' : 'unsaved'
}

export interface Form<Draft, Field extends string> {
  readonly draft: Draft
  readonly problems: Problems<Field>
  readonly pending: boolean
  readonly changes: Changes
  readonly change: (part: Partial<Draft>) => void
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
  /** Shows problems that another action than the submission found, and focuses the first control with one. */
  readonly report: (problems: Problems<Field>) => void
  /**
   * Returns the ref for the control of a field. A submission focuses the first control for which `check` returns a
   * problem.
   */
  readonly ref: (field: Field) => RefCallback<HTMLElement>
}

/** A form's draft, its problems by field, and its submission, which runs once at a time. */
export function useForm<Draft extends object, Field extends string>({
  initial,
  check,
  submit,
  clears = 'changed',
}: FormOptions<Draft, Field>): Form<Draft, Field> {
  const [initialDraft] = useState(initial)
  const [draft, setDraft] = useState(initialDraft)
  const [problems, setProblems] = useState<Problems<Field>>({})
  const [pending, setPending] = useState(false)
  const controls = useRef(new Map<Field, HTMLElement>())

  const change = (part: Partial<Draft>) => {
    setProblems((known) => (clears === 'all' ? {} : omit(known, Object.keys(part))))
    setDraft((current) => ({ ...current, ...part }))
  }

  /** Shows the problems, focuses the first control with one, and returns whether there are any. */
  const report = (found: Problems<Field>): boolean => {
    // Render the messages before scrolling to the control, because they may move or cover it.
    flushSync(() => setProblems(found))
    const firstInvalid = Object.keys(found)[0] as Field | undefined
    if (firstInvalid !== undefined) focusControl(controls.current.get(firstInvalid))
    return firstInvalid !== undefined
  }

  const submitDraft = async () => {
    if (pending) return
    if (report(check(draft, (field) => controls.current.get(field)))) return
    setPending(true)
    setProblems((await submit(draft)) ?? {})
    setPending(false)
  }

  return {
    draft,
    problems,
    pending,
    changes: describeChanges(JSON.stringify(draft) !== JSON.stringify(initialDraft), pending),
    change,
    onSubmit: (event) => {
      event.preventDefault()
      void submitDraft()
    },
    report,
    ref: (field) => (element) => {
      if (element === null) controls.current.delete(field)
      else controls.current.set(field, element)
    },
  }
}

function omit<Field extends string>(problems: Problems<Field>, fields: readonly string[]): Problems<Field> {
  return Object.fromEntries(
    Object.entries(problems).filter(([field]) => !fields.includes(field)),
  ) as Problems<Field>
}

function focusControl(control: HTMLElement | undefined): void {
  control?.focus()
  // `focus` does not scroll when the control already has the focus.
  control?.scrollIntoView({ block: 'nearest' })
}
