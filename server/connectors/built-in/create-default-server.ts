import { McpServer } from '@modelcontextprotocol/server'
import { Temporal } from 'temporal-polyfill'
import { z } from 'zod'
import { evaluateExpression, ExpressionError } from './evaluate-expression.ts'

/** Creates the server of the default connector, with a clock and a calculator, which models lack. */
export function createDefaultServer(now: () => number): McpServer {
  const server = new McpServer({ name: 'yonder', title: 'Yonder', version: '1.0.0' })
  server.registerTool(
    'get_time',
    {
      title: 'Time',
      description: 'Tells the present date, time and weekday, in UTC or in a time zone.',
      inputSchema: z.object({
        time_zone: z
          .string()
          .max(100)
          .optional()
          .describe('An IANA time zone such as Europe/Vienna. Absent means UTC.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ time_zone }) => {
      const time = describeTime(now(), time_zone ?? 'UTC')
      return time === undefined
        ? failure(`"${time_zone}" is not a time zone. Use an IANA name such as Europe/Vienna.`)
        : success(time)
    },
  )
  server.registerTool(
    'calculate',
    {
      title: 'Calculator',
      description:
        'Computes an arithmetic expression: + - * / % ^, brackets, sqrt, cbrt, abs, exp, ln, log, log2, sin, cos, tan, asin, acos, atan, floor, ceil, round, min, max, pi, e. Angles are in radians.',
      inputSchema: z.object({ expression: z.string().describe('For example (2 + 3) * 4') }),
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ expression }) => {
      try {
        return success(String(evaluateExpression(expression)))
      } catch (error) {
        if (error instanceof ExpressionError) return failure(error.message)
        throw error
      }
    },
  )
  return server
}

function success(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

function failure(text: string) {
  return { ...success(text), isError: true }
}

/** Formats a time (milliseconds since 1970) in a time zone; returns undefined for an unknown zone. */
function describeTime(timeMs: number, timeZone: string): string | undefined {
  let time: Temporal.ZonedDateTime
  try {
    time = Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(timeZone)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  const weekday = time.toLocaleString('en', { weekday: 'long' })
  const clock = time.toPlainTime().toString({ smallestUnit: 'second' })
  return `${weekday}, ${time.toPlainDate().toString()} ${clock} (${timeZone}, UTC${time.offset})`
}
