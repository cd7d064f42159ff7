import { newCallId } from '../reply-parts.ts'
import { demoTexts } from './demo-texts.ts'
import type { DemoMessage, DemoTool } from './read-demo-request.ts'

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

/** Plans the demo model's reply. It reacts to simple phrases, so that users can try every feature without a key. */
export function planDemoReply(
  messages: readonly DemoMessage[],
  tools: readonly DemoTool[],
): DemoReply | DemoFailure {
  const last = messages.at(-1)
  if (last?.role === 'tool') return say(isDenied(last) ? demoTexts.denied : describeResult(last.content))
  const text = lastParagraph(messages.findLast((message) => message.role === 'user')?.content ?? '')
  const request = text.toLowerCase()

  if (isDenied(messages.at(-2)) && /^(cancel|no|stop)\b/.test(request)) return say(demoTexts.denied)
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

/** User messages without a reply in between arrive joined by blank lines; only the last one counts. */
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
  return {
    kind: 'reply',
    reasoning: demoTexts.reasoning(quote(text)),
    text: demoTexts.thought(quote(text)),
    slowdown: 1,
    call: null,
  }
}

interface Sum {
  readonly operation: 'add' | 'subtract' | 'multiply' | 'divide'
  readonly left: number
  readonly right: number
}

function readSum(request: string): Sum | undefined {
  const match =
    /\b(add|plus|sum|subtract|multiply|divide)\b\D*?(-?\d+(?:\.\d+)?)\D+?(-?\d+(?:\.\d+)?)/.exec(request) ??
    /()(-?\d+(?:\.\d+)?)\s*[+x*]\s*(-?\d+(?:\.\d+)?)/.exec(request)
  if (match === null) return undefined
  const [, verb = '', left = '0', right = '0'] = match
  const operation = verb === 'subtract' || verb === 'multiply' || verb === 'divide' ? verb : 'add'
  return { operation, left: Number(left), right: Number(right) }
}

const operators = { add: '+', subtract: '-', multiply: '*', divide: '/' } as const

function useCalculator(sum: Sum, tools: readonly DemoTool[]): DemoReply {
  const tool = findTool(tools, ['calculator', 'calculate', sum.operation])
  if (tool === undefined) return say(demoTexts.noTool('calculator'))
  const { left, right, operation } = sum
  const [first = 'a', second = 'b'] = tool.parameters
  const takesExpression = tool.parameters.includes('expression')
  const values = takesExpression
    ? { expression: `${left} ${operators[operation]} ${right}` }
    : tool.parameters.includes('operation')
      ? fillOperation(tool, sum)
      : { [first]: left, [second]: right }
  return call(tool, values, `I will use the calculator for ${left} ${operators[operation]} ${right}.`)
}

function fillOperation(tool: DemoTool, sum: Sum): Record<string, unknown> {
  const [first = 'a', second = 'b'] = tool.parameters.filter((name) => name !== 'operation')
  return { operation: sum.operation, [first]: sum.left, [second]: sum.right }
}

function useClock(tools: readonly DemoTool[]): DemoReply {
  const tool = findTool(tools, ['time', 'clock', 'now'])
  return tool === undefined ? say(demoTexts.noTool('clock')) : call(tool, {}, 'I will look at the clock.')
}

/** Tool names begin with their connector's name, so the ending is compared. */
function findTool(tools: readonly DemoTool[], endings: readonly string[]): DemoTool | undefined {
  return tools.find((tool) => endings.some((ending) => tool.name.toLowerCase().endsWith(ending)))
}

function call(tool: DemoTool, values: object, text: string): DemoReply {
  return {
    kind: 'reply',
    reasoning: '',
    text,
    slowdown: 1,
    call: { id: newCallId(), name: tool.name, arguments: JSON.stringify(values) },
  }
}

function describeResult(content: string): string {
  return demoTexts.result(readResult(content).trim().slice(0, 2000))
}

/** Removes the boundary lines (`[…]`) that `buildPrompt` puts around a tool's result. */
function readResult(content: string): string {
  return /\n(\[[\w-]+\])\n([\s\S]*)\n\1$/.exec(content)?.[2] ?? content
}

function isDenied(message: DemoMessage | undefined): boolean {
  return message?.role === 'tool' && /denied by the user/i.test(message.content)
}

/** The user's message on one line, short enough to quote. */
function quote(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/[`*_[\]<>]/g, '')
    .trim()
  return line.length > 120 ? `${line.slice(0, 117).trimEnd()}…` : line
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}
