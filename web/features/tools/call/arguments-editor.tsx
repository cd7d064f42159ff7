import { useEffect, useId, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useModelTool } from '../../../data/connectors.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useDiscardQuestion } from '../../../ui/dialog/discard-question.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field, useField } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { Switch } from '../../../ui/form/switch.tsx'
import { TextArea } from '../../../ui/form/text-area.tsx'
import { controlLook, TextInput } from '../../../ui/form/text-input.tsx'
import { FoldedText } from '../../../ui/inert-text.tsx'
import { LoadingState } from '../../../ui/states/states.tsx'
import {
  checkEntry,
  findJsonError,
  listFields,
  parseArguments,
  toEntry,
  withEntry,
  type ArgumentField,
  type Entry,
  type Values,
} from './argument-fields.ts'

export interface ArgumentsEditorProps {
  readonly server: string
  readonly tool: string
  /** What the user has written so far, as JSON text. */
  readonly text: string
  /** Whether this differs from what the editor began with. */
  readonly isChanged: boolean
  /** Why the server has refused the arguments. */
  readonly refusal: string | undefined
  /** Whether the user has just opened the editor, rather than the page again. */
  readonly takesFocus: boolean
  readonly onChange: (text: string) => void
  readonly onDone: (text: string) => void
  readonly onCancel: () => void
}

/** Changes the arguments of a call: in a form if the tool's schema has only simple fields, else as JSON. */
export function ArgumentsEditor(props: ArgumentsEditorProps) {
  const { data, error } = useModelTool(props.server, props.tool)
  if (data === undefined && error === undefined) return <LoadingState>Loading the tool</LoadingState>
  const schema = parseArguments(data?.parameters ?? '[]')
  return <LoadedEditor {...props} schema={schema} />
}

interface LoadedEditorProps extends ArgumentsEditorProps {
  readonly schema: Values | undefined
}

function LoadedEditor(props: LoadedEditorProps) {
  const { schema, text, isChanged, refusal, takesFocus, onChange, onDone, onCancel } = props
  const values = parseArguments(text)
  const fields = values === undefined ? undefined : listFields(schema, values)
  // A text that the form cannot show has to stay as JSON, even when it fits again while it is being written.
  const [prefersJson, setPrefersJson] = useState(fields === undefined)
  const [showsErrors, setShowsErrors] = useState(false)
  const region = useRef<HTMLDivElement>(null)
  const problem = useId()
  const isForm = !prefersJson && fields !== undefined && values !== undefined
  const { requestClose, question } = useDiscardQuestion(isChanged ? 'unsaved' : 'none', onCancel)
  const jsonError = isForm ? undefined : findJsonError(text)
  useFocusFirstControl(region, takesFocus)
  const finish = () => {
    flushSync(() => setShowsErrors(true))
    const invalid = region.current?.querySelector<HTMLElement>('[aria-invalid]')
    if (invalid) invalid.focus()
    else onDone(text)
  }
  const shownError = (showsErrors ? jsonError : undefined) ?? refusal
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the controls inside receive the keys
    <div
      ref={region}
      className="flex flex-col gap-3"
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          finish()
        } else if (event.key === 'Escape' && !event.defaultPrevented) {
          // Escape must not stop the reply.
          event.preventDefault()
          requestClose()
        }
      }}
    >
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">Arguments, being edited</p>
        {schema !== undefined && (fields !== undefined || !prefersJson) && (
          <span className="flex items-center gap-2 text-xs text-muted">
            <span aria-hidden>Edit as JSON</span>
            <Switch label="Edit as JSON" checked={!isForm} onChange={setPrefersJson} />
          </span>
        )}
      </div>
      {isForm ? (
        <ArgumentForm
          fields={fields}
          values={values}
          showsErrors={showsErrors}
          onChange={(next) => onChange(JSON.stringify(next, null, 2))}
        />
      ) : (
        <textarea
          dir="auto"
          spellCheck={false}
          autoCapitalize="off"
          aria-label="Arguments as JSON"
          aria-invalid={(showsErrors && jsonError !== undefined) || undefined}
          aria-describedby={problem}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          rows={4}
          className={`${controlLook} field-sizing-content max-h-[calc(12lh+1rem)] min-h-[calc(4lh+1rem)] resize-none px-3 py-2 font-mono leading-normal`}
        />
      )}
      <p id={problem} role="alert" className="text-sm text-danger empty:sr-only">
        {shownError}
      </p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={requestClose}>Cancel</Button>
        <Button look="primary" aria-keyshortcuts="Control+Enter" onClick={finish}>
          Done
        </Button>
      </div>
      {question}
    </div>
  )
}

/** Moves the focus into the editor once its controls are there. */
function useFocusFirstControl(region: RefObject<HTMLElement | null>, takesFocus: boolean): void {
  useEffect(() => {
    const control = region.current?.querySelector<HTMLElement>('textarea, input, select')
    if (takesFocus) control?.focus({ preventScroll: true })
    // Only when the editor opens.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
}

interface ArgumentFormProps {
  readonly fields: readonly ArgumentField[]
  readonly values: Values
  readonly showsErrors: boolean
  readonly onChange: (values: Values) => void
}

function ArgumentForm({ fields, values, showsErrors, onChange }: ArgumentFormProps) {
  // What was typed may not be a value yet, such as the minus of a number.
  const [entries, setEntries] = useState<ReadonlyMap<string, Entry>>(new Map())
  return fields.map((field) => {
    const entry = entries.get(field.name) ?? toEntry(field, values[field.name])
    return (
      <ArgumentControl
        key={field.name}
        field={field}
        entry={entry}
        error={showsErrors ? checkEntry(field, entry) : undefined}
        onChange={(next) => {
          setEntries(new Map(entries).set(field.name, next))
          const isValue = checkEntry({ ...field, required: false }, next) === undefined
          if (isValue) onChange(withEntry(values, field, next))
        }}
      />
    )
  })
}

interface ArgumentControlProps {
  readonly field: ArgumentField
  readonly entry: Entry
  readonly error: string | undefined
  readonly onChange: (entry: Entry) => void
}

function ArgumentControl({ field, entry, error, onChange }: ArgumentControlProps) {
  const { name, description, required, kind, options } = field
  const hint = description === undefined ? undefined : <FoldedText>{description}</FoldedText>
  if (typeof entry === 'boolean')
    return (
      <Checkbox
        label={name}
        hint={hint}
        checked={entry}
        onChange={({ target }) => onChange(target.checked)}
      />
    )
  return (
    <Field
      label={kind === 'lines' ? `${name} (one on each line)` : name}
      required={required}
      hint={hint}
      error={error}
    >
      {kind === 'choice' ? (
        <Select value={entry} onChange={({ target }) => onChange(target.value)}>
          {(!required || entry === '') && <option value="">{required ? 'Choose an option' : 'None'}</option>}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      ) : (
        <TextEntry kind={kind} text={entry} onChange={onChange} />
      )}
    </Field>
  )
}

interface TextEntryProps {
  readonly kind: ArgumentField['kind']
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A longer text gets a box of several lines. It keeps its box while it is shortened. */
const maxInputChars = 60

function TextEntry({ kind, text, onChange }: TextEntryProps) {
  const [isLong] = useState(() => kind === 'lines' || text.length > maxInputChars || text.includes('\n'))
  const attributes = useField()
  return isLong ? (
    <TextArea {...attributes} value={text} onChange={({ target }) => onChange(target.value)} />
  ) : (
    <TextInput
      {...attributes}
      inputMode={kind === 'number' || kind === 'whole' ? 'decimal' : undefined}
      autoComplete="off"
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
