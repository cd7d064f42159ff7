import type { ModelTool } from '@yonder/contract/connector'
import { parseJsonExactly } from '@yonder/contract/lib/exact-json'
import { CopyButton } from './button/copy-button.tsx'
import { Disclosure } from './disclosure.tsx'
import { FoldedText, InertText } from './inert-text.tsx'
import { ErrorState } from './states/error-state.tsx'
import { LoadingState } from './states/states.tsx'
import { ToolText } from './tool-text.tsx'

type Schema = Readonly<Record<string, unknown>>

export interface ModelToolViewProps {
  /** The result of the read; `mutate` reads again. */
  readonly read: {
    readonly data?: ModelTool | undefined
    readonly error?: Error | undefined
    mutate(): unknown
  }
  /** The version of the tool that the screen shows. The view warns when the server has another version now. */
  readonly fingerprint: string | undefined
}

/** Everything that a model reads of a tool: name, description, and every part of the parameters. */
export function ModelToolView({ read, fingerprint }: ModelToolViewProps) {
  const { data: tool, error } = read
  if (tool === undefined) {
    return error === undefined ? (
      <LoadingState>Loading the tool</LoadingState>
    ) : (
      <ErrorState title="The tool could not be loaded" onRetry={() => void read.mutate()} />
    )
  }
  const { name, description } = tool
  const parameters = parseSchema(tool.parameters)
  const googleParameters = parseSchema(tool.google_parameters)
  return (
    <div className="flex flex-col gap-2.5 rounded-control bg-sunken p-3 text-xs">
      {fingerprint !== undefined && fingerprint !== tool.fingerprint && (
        <p className="font-medium text-warning">
          This tool has changed meanwhile. Below is what models read of it now.
        </p>
      )}
      {!tool.offered && (
        <p className="text-warning">
          Models are not offered this tool now, for example because it is blocked, its connector is not
          connected, or there are too many tools.
        </p>
      )}
      <dl className="flex flex-col gap-2.5">
        <div>
          <dt className="text-muted">Name</dt>
          <dd className="font-mono wrap-anywhere">
            <InertText>{name}</InertText>
          </dd>
        </div>
        {description !== '' && (
          <div>
            <dt className="text-muted">Description</dt>
            <dd>
              <FoldedText>{description}</FoldedText>
            </dd>
          </div>
        )}
      </dl>
      {parameters !== null && (
        <>
          <div>
            <p className="text-muted">Parameters</p>
            <Facts schema={parameters} />
            <ParameterList schema={parameters} />
          </div>
          <RawSchema label="Schema as JSON" schema={parameters} />
          {googleParameters !== null && (
            <RawSchema label="Schema for models of Google" schema={googleParameters} />
          )}
        </>
      )}
    </div>
  )
}

/** With the numbers that models read. */
function parseSchema(text: string | null): Schema | null {
  return text === null ? null : toSchema(parseJsonExactly(text))
}

function ParameterList({ schema }: { readonly schema: Schema }) {
  const properties = Object.entries(toSchema(schema['properties']))
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  if (properties.length === 0) return <p>None</p>
  return (
    <ul className="flex flex-col gap-2 border-l border-line pl-2.5">
      {properties.map(([name, property]) => (
        <Parameter key={name} name={name} schema={toSchema(property)} isRequired={required.includes(name)} />
      ))}
    </ul>
  )
}

interface ParameterProps {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

function Parameter({ name, schema, isRequired }: ParameterProps) {
  const { description, properties, items } = schema
  return (
    <li className="flex min-w-0 flex-col gap-0.5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono font-medium wrap-anywhere">
          <InertText>{name}</InertText>
        </code>{' '}
        <span className="text-muted wrap-anywhere">
          <InertText>{describeType(schema)}</InertText>
        </span>{' '}
        {isRequired && <span className="text-muted">required</span>}
      </p>
      {typeof description === 'string' && (
        <p>
          <FoldedText>{description}</FoldedText>
        </p>
      )}
      <Facts schema={schema} />
      {isSchema(properties) && <ParameterList schema={schema} />}
      {isSchema(items) && (
        <ul className="border-l border-line pl-2.5">
          <Parameter name="each item" schema={items} isRequired={false} />
        </ul>
      )}
    </li>
  )
}

/** The keywords that the list of parameters shows in its own way. */
const listedKeywords = new Set(['type', 'description', 'properties', 'required', 'items'])

/** The other keywords of a schema. What is unusual in the listed ones is only in the schema as JSON. */
function Facts({ schema }: { readonly schema: Schema }) {
  return Object.entries(schema)
    .filter(([keyword]) => !listedKeywords.has(keyword))
    .map(([keyword, value]) => (
      <p key={keyword}>
        <span className="text-muted">
          <InertText>{keyword}</InertText>:{' '}
        </span>
        <span className="font-mono">
          <FoldedText>{formatFact(value)}</FoldedText>
        </span>
      </p>
    ))
}

function formatFact(value: unknown): string {
  return Array.isArray(value) ? value.map((item) => JSON.stringify(item)).join(', ') : JSON.stringify(value)
}

function describeType({ type, items }: Schema): string {
  const types = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any type'
  const { type: itemType } = toSchema(items)
  return types === 'array' && typeof itemType === 'string' ? `array of ${itemType}` : types
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toSchema(value: unknown): Schema {
  return isSchema(value) ? value : {}
}

function RawSchema({ label, schema }: { readonly label: string; readonly schema: Schema }) {
  const text = JSON.stringify(schema, null, 2)
  return (
    <Disclosure label={label}>
      <div className="relative">
        <ToolText label={label}>
          <InertText>{text}</InertText>
        </ToolText>
        <span className="absolute top-1 right-1">
          <CopyButton title="Copy schema" text={text} />
        </span>
      </div>
    </Disclosure>
  )
}
