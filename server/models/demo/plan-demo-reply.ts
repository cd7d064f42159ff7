import type { ModelTool } from '../model.ts'
import { newCallId } from '../reply-parts.ts'
import { demoTexts } from './demo-texts.ts'

export interface DemoMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
}

export interface DemoReply {
  readonly kind: 'reply'
  readonly reasoning: string
  readonly text: string
  /** How many times slower than usual the reply is sent. */
  readonly slowdown: number
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string } | null
}

export interface DemoFailure {
  readonly kind: 'failure'
  readonly message: string
}

/** The demo model looks for its phrases in this many characters. */
const maxRequestChars = 2000
/** A longer result of a tool is cut in the reply. */
const maxResultChars = 2000

/**
 * Plans the demo model's reply. It reacts to simple phrases, so that users can try Yonder without a key. A reply
 * without a tool call quotes the bot's instructions, so that users see that the model received them.
 */
export function planDemoReply(
  messages: readonly DemoMessage[],
  tools: readonly ModelTool[],
): DemoReply | DemoFailure {
  const instructions = messages.find(({ role }) => role === 'system')?.content ?? ''
  const conversation = messages.filter(({ role }) => role !== 'system')
  const reply = planReply(conversation, tools)
  if (instructions.trim() === '' || reply.kind === 'failure' || reply.call !== null) return reply
  return { ...reply, text: `${reply.text}\n\n${demoTexts.instructions(quote(instructions))}` }
}

function planReply(messages: readonly DemoMessage[], tools: readonly ModelTool[]): DemoReply | DemoFailure {
  const last = messages.at(-1)
  if (last?.role === 'tool') return say(isDenied(last) ? demoTexts.denied : describeResult(last.content))
  const text = lastParagraph(messages.findLast((message) => message.role === 'user')?.content ?? '')
  const request = text.slice(0, maxRequestChars).toLowerCase()

  // A denied call may be followed by a reply that says nothing.
  if (messages.slice(-3).some(isDenied) && /^(cancel|no|stop)\b/.test(request)) return say(demoTexts.denied)
  if (/^(please )?fail\b/.test(request)) {
    return { kind: 'failure', message: 'The demo model failed because it was asked to.' }
  }
  const sum = readSum(request)
  if (/\bcalculator\b/.test(request) && sum !== undefined) return useCalculator(sum, tools)
  if (/\b(what time|current time|the time)\b/.test(request)) return useClock(tools)
  if (/\bthink\b/.test(request)) return think(text)
  if (/\blong (answer|text|story)\b/.test(request))
    return { ...say(demoTexts.long(quote(text))), slowdown: 6 }
  if (/\bcode\b/.test(request)) return say(demoTexts.code)
  if (/\btable\b/.test(request)) return say(demoTexts.table)
  if (/\b(math|maths|formula)\b/.test(request)) return say(demoTexts.math)
  const turns = messages.filter((message) => message.role === 'user').length
  if (turns === 1) return say(demoTexts.welcome(quote(text)))
  const before = messages.filter((message) => message.role === 'user').at(-2)?.content ?? ''
  return say(demoTexts.again({ now: quote(text), before: quote(before), turns, words: countWords(text) }))
}

/** User messages without a reply in between arrive joined by blank lines. Only the last paragraph counts. */
function lastParagraph(text: string): string {
  return (
    text
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? ''
  )
}

function say(text: string): DemoReply {
  return { kind: 'reply', reasoning: '', text, slowdown: 1, call: null }
}

function think(text: string): DemoReply {
  return { ...say(demoTexts.thought(quote(text))), reasoning: demoTexts.reasoning(quote(text)) }
}

interface Sum {
  readonly operation: 'add' | 'subtract' | 'multiply' | 'divide'
  readonly left: number
  readonly right: number
}

/** Reads a request such as 'add 2 and 3' or '2 + 3'. */
function readSum(request: string): Sum | undefined {
  const verb = /\b(?:add|plus|sum|subtract|multiply|divide)\b/.exec(request)
  const named = verb === null ? undefined : findSum(request.slice(verb.index), () => operationOfVerb(verb[0]))
  return named ?? findSum(request, operationOfSign)
}

/** Finds the first two numbers with an operation, which `readOperation` reads from the text between them. */
function findSum(
  text: string,
  readOperation: (between: string) => Sum['operation'] | undefined,
): Sum | undefined {
  let left: RegExpExecArray | undefined
  // A minus after a digit is not a sign.
  for (const right of text.matchAll(/(?<!\d)-?\d+(?:\.\d+)?/g)) {
    const operation = left && readOperation(text.slice(left.index + left[0].length, right.index).trim())
    if (left && operation) return { operation, left: Number(left[0]), right: Number(right[0]) }
    left = right
  }
  return undefined
}

function operationOfVerb(verb: string): Sum['operation'] {
  return verb === 'subtract' || verb === 'multiply' || verb === 'divide' ? verb : 'add'
}

function operationOfSign(sign: string): Sum['operation'] | undefined {
  if (sign === '+') return 'add'
  return sign === '*' || sign === 'x' ? 'multiply' : undefined
}

const operators = { add: '+', subtract: '-', multiply: '*', divide: '/' } as const

function useCalculator(sum: Sum, tools: readonly ModelTool[]): DemoReply {
  const tool = findTool(tools, ['calculator', 'calculate', sum.operation])
  if (tool === undefined) return say(demoTexts.noTool('calculator'))
  const { left, right, operation } = sum
  const parameters = Object.keys((tool.inputSchema['properties'] as object | undefined) ?? {})
  const [first = 'a', second = 'b'] = parameters.filter((name) => name !== 'operation')
  const values = parameters.includes('expression')
    ? { expression: `${left} ${operators[operation]} ${right}` }
    : { ...(parameters.includes('operation') && { operation }), [first]: left, [second]: right }
  return call(tool, values, `I will use the calculator for ${left} ${operators[operation]} ${right}.`)
}

function useClock(tools: readonly ModelTool[]): DemoReply {
  const tool = findTool(tools, ['time', 'clock', 'now'])
  return tool === undefined ? say(demoTexts.noTool('clock')) : call(tool, {}, 'I will look at the clock.')
}

/** Tool names begin with their connector's name, so the ending is compared. */
function findTool(tools: readonly ModelTool[], endings: readonly string[]): ModelTool | undefined {
  return tools.find((tool) => endings.some((ending) => tool.name.toLowerCase().endsWith(ending)))
}

function call(tool: ModelTool, values: object, text: string): DemoReply {
  return { ...say(text), call: { id: newCallId(), name: tool.name, arguments: JSON.stringify(values) } }
}

function describeResult(content: string): string {
  return demoTexts.result(readResult(content).trim().slice(0, maxResultChars))
}

/** Returns the text between the boundary lines (`[…]`) that `buildPrompt` puts around a tool's result. */
function readResult(content: string): string {
  const end = content.lastIndexOf('\n')
  const boundary = content.slice(end + 1)
  const start = content.indexOf(`\n${boundary}\n`) + boundary.length + 2
  const hasBoundaries = /^\[[\w-]+\]$/.test(boundary) && start > boundary.length + 1 && start <= end
  return hasBoundaries ? content.slice(start, end) : content
}

function isDenied(message: DemoMessage): boolean {
  return message.role === 'tool' && /denied by the user/i.test(message.content)
}

/** A text on one line without Markdown, short enough to quote. */
function quote(text: string): string {
  const line = text
    .slice(0, maxRequestChars)
    .replace(/\s+/g, ' ')
    .replace(/[`*_[\]<>]/g, '')
    .trim()
  return line.length > 120 ? `${line.slice(0, 117).trimEnd()}…` : line
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}
