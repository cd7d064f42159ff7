import { InertText } from '../../../ui/inert-text.tsx'
import { ToolText } from '../../../ui/tool-text.tsx'
import type { ReadableField, ReadableValue } from './readable-call.ts'

/** The arguments of an email or an event, with their labels. */
export function ReadableFields({ fields }: { readonly fields: readonly ReadableField[] }) {
  return (
    <dl aria-label="Content" className="grid gap-2">
      {fields.map(({ label, value }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the arguments never change
        <div key={index} className="grid gap-x-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
          <dt className="text-muted wrap-anywhere">
            <InertText>{label}</InertText>
          </dt>
          <dd dir="auto" className="min-w-0 wrap-anywhere">
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: { readonly value: ReadableValue }) {
  switch (value.kind) {
    case 'list':
      return value.items.length === 0 ? (
        <span className="text-muted">None</span>
      ) : (
        <ul>
          {value.items.map((item, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the arguments never change
            <li key={index}>
              <InertText>{item}</InertText>
            </li>
          ))}
        </ul>
      )
    case 'time':
      return (
        <>
          <InertText>{value.text}</InertText>
          {value.note !== undefined && (
            <span className="block text-xs text-muted">
              <InertText>{value.note}</InertText>
            </span>
          )}
        </>
      )
    case 'line':
      return value.text === '' ? (
        <span className="text-muted">Empty</span>
      ) : (
        <InertText>{value.text}</InertText>
      )
    case 'body':
      return (
        <ToolText label="Text" look="prose">
          <InertText>{value.text}</InertText>
        </ToolText>
      )
    case 'table':
      return <Table {...value} />
    case 'json':
      return (
        <pre className="font-mono text-xs whitespace-pre-wrap">
          <InertText>{value.text}</InertText>
        </pre>
      )
  }
}

/** A list of objects: a row for each, a column for each key. It scrolls sideways when it is too wide. */
function Table({ columns, rows }: Extract<ReadableValue, { kind: 'table' }>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <section tabIndex={0} aria-label="Table" className="overflow-auto">
      <table className="text-xs">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="border-b border-line px-2 py-1 text-left text-muted">
                <InertText>{name}</InertText>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // oxlint-disable-next-line react/no-array-index-key -- the arguments never change
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={columns[column]} dir="auto" className="border-b border-line px-2 py-1">
                  <InertText>{cell}</InertText>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
