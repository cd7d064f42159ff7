import type { Connector, ConnectorTool } from '@yonder/contract/connector'
import { foldText } from '@yonder/contract/lib/fold-text'
import { cutText } from '@yonder/contract/message-text'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { focusInDialog } from '../../../ui/dialog/dialog-layer.ts'
import { moveByArrowKeys } from '../../../ui/focus.ts'
import { SearchInput } from '../../../ui/form/text-input.tsx'
import { InertText, ToolName } from '../../../ui/inert-text.tsx'
import { withAllowed, type AllowDraft, type ToolsDraft } from './allow-draft.ts'
import { AllowEditor, ApprovalBadge, ToolChips } from './allow-editor.tsx'

export interface AllowSummaryProps {
  readonly connector: Connector
  readonly onManage: () => void
}

/** Shows which tools run without approval. */
export function AllowSummary({ connector: { allow_tools, tools }, onManage }: AllowSummaryProps) {
  // Before the first connection no tools are known, and no name counts as missing.
  const known = new Set(tools.map(({ name }) => name))
  const missing = known.size === 0 ? [] : (allow_tools ?? []).filter((name) => !known.has(name))

  return (
    <section className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-4">
        <h3 className="text-sm font-medium">{describeAllowed(allow_tools)}</h3>
        <Button size="small" data-initial-focus onClick={onManage}>
          Manage
        </Button>
      </div>
      {allow_tools === null || allow_tools.length === 0 ? (
        <ApprovalBadge allowsEveryTool={allow_tools === null} />
      ) : (
        <ToolChips names={allow_tools} />
      )}
      {missing.length > 0 && (
        <p className="text-xs text-muted wrap-anywhere">
          Allowed, but not offered by the connector now: <InertText>{missing.join(', ')}</InertText>
        </p>
      )}
    </section>
  )
}

export interface ManageToolsProps {
  readonly tools: readonly ConnectorTool[]
  readonly draft: ToolsDraft
  readonly onChange: (draft: ToolsDraft) => void
  /** Called when no name is left after a removal, to move the focus. */
  readonly onEmptied: () => void
}

/** The manage mode of the allowed tools. */
export function ManageTools({ tools, draft, onChange, onEmptied }: ManageToolsProps) {
  const { allow } = draft
  const changeAllowed = (changed: AllowDraft) => onChange(withAllowed(draft, changed))
  return (
    <section className="flex flex-col gap-3">
      <h3 className="flex min-h-8 items-center text-sm font-medium">
        {describeAllowed(allow.allowsEveryTool ? null : allow.names)}
      </h3>
      <AllowEditor draft={allow} onChange={changeAllowed} onEmptied={onEmptied}>
        {tools.length > 0 && (
          <ToolSearch
            tools={tools}
            allowed={allow.names}
            onAdd={(name) => changeAllowed({ ...allow, names: [...allow.names, name] })}
          />
        )}
      </AllowEditor>
    </section>
  )
}

/** The heading of the allowed tools; null means every tool. */
function describeAllowed(names: readonly string[] | null): string {
  return `Allowed Tools (${names === null ? 'all' : names.length})`
}

const maxResults = 10
const maxDescriptionChars = 80

interface ToolSearchProps {
  readonly tools: readonly ConnectorTool[]
  readonly allowed: readonly string[]
  readonly onAdd: (name: string) => void
}

/** Finds tools by name or description, to allow them. */
function ToolSearch({ tools, allowed, onAdd }: ToolSearchProps) {
  const [search, setSearch] = useState('')
  const isSearching = search.trim() !== ''
  const found = isSearching ? findTools(tools, allowed, search) : []

  const add = (name: string) => {
    onAdd(name)
    // The focused result was removed, so the focus moves to the search box.
    focusInDialog()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys bubble from the box and the results
    <div onKeyDown={(event) => moveByArrowKeys(event, 'input, li button')}>
      <SearchInput
        aria-label="Search tools to add"
        placeholder="Search tools to add..."
        data-initial-focus
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {found.length > 0 && (
        <ul aria-label="Tools found" className="mt-1.5 flex flex-col">
          {found.map((tool) => (
            <li key={tool.name}>
              <button
                type="button"
                onClick={() => add(tool.name)}
                className="touch-target flex w-full items-start gap-2.5 rounded-control px-3 py-1.5 text-left transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px]"
              >
                <Plus size={14} aria-hidden className="mt-1 shrink-0 text-muted" />
                <span className="min-w-0">
                  <span className="sr-only">Allow </span>
                  <bdi className="block truncate font-mono text-xs leading-5">
                    <ToolName>{tool.name}</ToolName>
                  </bdi>
                  <span className="block text-xs text-muted wrap-anywhere">
                    <InertText>{cutDescription(tool.description)}</InertText>
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <output className="block text-xs text-muted wrap-anywhere not-empty:px-3 not-empty:py-2">
        {isSearching && found.length === 0 && `No tools found matching "${search.trim()}"`}
      </output>
    </div>
  )
}

/** Returns the first tools that are not allowed yet and whose name or description contains the search. */
function findTools(
  tools: readonly ConnectorTool[],
  allowed: readonly string[],
  search: string,
): readonly ConnectorTool[] {
  const wanted = foldText(search.trim())
  const used = new Set(allowed)
  return tools
    .filter(
      ({ name, description }) =>
        !used.has(name) && (foldText(name).includes(wanted) || foldText(description).includes(wanted)),
    )
    .slice(0, maxResults)
}

/** Returns at most 80 characters of a description, with an ellipsis if it was longer. */
function cutDescription(description: string): string {
  const { text, isCut } = cutText(description, maxDescriptionChars)
  return isCut ? `${text}...` : text
}
