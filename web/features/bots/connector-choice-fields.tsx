import { foldText } from '@yonder/contract/lib/fold-text'
import { useId, useState } from 'react'
import { useConnectors } from '../../data/connectors.ts'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Field } from '../../ui/form/field.tsx'
import { NamedOptions, Select } from '../../ui/form/select.tsx'
import { SearchInput } from '../../ui/form/text-input.tsx'
import { LoadingState } from '../../ui/states/states.tsx'
import type { ConnectorChoice } from './bot-draft.ts'

const scopes: Readonly<Record<ConnectorChoice['scope'], string>> = {
  all: 'All',
  chosen: 'Chosen',
  none: 'None',
}

const hints: Readonly<Record<ConnectorChoice['scope'], string>> = {
  all: 'The bot may use every connector, also those that you add later.',
  chosen: 'The bot may use only these connectors.',
  none: 'The bot gets no tools.',
}

export interface ConnectorChoiceFieldsProps {
  readonly choice: ConnectorChoice
  readonly onChange: (choice: ConnectorChoice) => void
}

/** Which connectors a bot may use. */
export function ConnectorChoiceFields({ choice, onChange }: ConnectorChoiceFieldsProps) {
  return (
    <>
      <Field label="Connectors" hint={hints[choice.scope]}>
        <Select
          value={choice.scope}
          onChange={(event) => onChange({ ...choice, scope: event.target.value as ConnectorChoice['scope'] })}
        >
          <NamedOptions names={scopes} />
        </Select>
      </Field>
      {choice.scope === 'chosen' && (
        <ConnectorCheckboxes names={choice.names} onChange={(names) => onChange({ ...choice, names })} />
      )}
    </>
  )
}

/** A list with more connectors has a search box. */
const maxWithoutSearch = 8

interface ConnectorCheckboxesProps {
  readonly names: readonly string[]
  readonly onChange: (names: readonly string[]) => void
}

/** Checkboxes for the user's connectors, and for chosen names without a connector, which can be removed. */
function ConnectorCheckboxes({ names, onChange }: ConnectorCheckboxesProps) {
  const title = useId()
  const [search, setSearch] = useState('')
  const { data: connectors, error } = useConnectors()
  const known = connectors?.map(({ name }) => name) ?? []
  // A missing name stays in the list after it was unchecked, so that a mistake can be undone.
  const [namesBefore] = useState(names)
  const missing =
    connectors === undefined
      ? []
      : [...new Set([...namesBefore, ...names])].filter((name) => !known.includes(name))
  const all = [...missing, ...known]
  const wanted = foldText(search.trim())
  const shown = all.filter((name) => foldText(name).includes(wanted))

  const toggle = (name: string) =>
    onChange(names.includes(name) ? names.filter((other) => other !== name) : [...names, name])

  if (connectors === undefined) {
    return error === undefined ? (
      <LoadingState>Loading connectors...</LoadingState>
    ) : (
      <p className="text-sm text-danger">
        The connectors could not be loaded.{' '}
        {names.length === 0
          ? 'Without a chosen connector, the bot gets no tools.'
          : 'The chosen connectors stay chosen.'}
      </p>
    )
  }
  return (
    <fieldset aria-labelledby={title} className="flex flex-col gap-2.5">
      <p id={title} className="text-sm font-medium">
        Chosen connectors ({names.length})
      </p>
      {all.length > maxWithoutSearch && (
        <SearchInput
          aria-label="Search connectors"
          placeholder="Search connectors..."
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div className="flex max-h-60 flex-col gap-2.5 overflow-y-auto p-0.5">
        {shown.map((name) => (
          <Checkbox
            key={name}
            label={name}
            hint={known.includes(name) ? undefined : 'Missing: you have no connector with this name.'}
            checked={names.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </div>
      <output className="text-xs text-muted empty:sr-only">
        {all.length === 0
          ? 'You have no connectors. Until you add and choose one, the bot gets no tools.'
          : shown.length === 0
            ? `No connectors found matching "${search.trim()}"`
            : names.length === 0 && 'Without a chosen connector, the bot gets no tools.'}
      </output>
    </fieldset>
  )
}
