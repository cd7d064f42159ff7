import { ClientId } from '@yonder/contract/chat'
import { MessageUsage, MessageUsageQuery, UsageQuery, UsageReport } from '@yonder/contract/usage/usage-report'
import { z } from 'zod'
import type { Db } from '../db/database.ts'
import { type Api, route } from '../http/api.ts'
import { textInPages } from '../http/send-pieces.ts'
import { requireUser } from '../identity/authenticate.ts'
import { AppError } from '../lib/app-error.ts'
import { addUpModels, presentMessageUsage, presentReport } from './present-usage.ts'
import { writeUsageCsv } from './usage-csv.ts'
import { listUsageDays } from './usage-days.ts'
import { listUsageOfMessages, readUsage, type UsageSums } from './usage-store.ts'

/** Registers the routes that report what a user's calls of models used and cost. */
export function registerUsageRoutes(api: Api, db: Db): void {
  api.get(
    '/api/usage',
    route('user', 'Sum up tokens and costs', [], { querystring: UsageQuery, response: { 200: UsageReport } }),
    async (request) => {
      const sums: UsageSums[] = []
      for await (const page of readUsage(db, requireUser(request), listUsageDays(request.query)))
        sums.push(...addUpModels(page))
      return presentReport(request.query, sums)
    },
  )

  api.get(
    '/api/usage.csv',
    route('user', 'Download tokens and costs as CSV', [], {
      querystring: UsageQuery,
      response: { 200: { content: { 'text/csv': { schema: z.string() } } } },
    }),
    async (request, reply) => {
      const { from, to } = request.query
      const pages = readUsage(db, requireUser(request), listUsageDays(request.query))
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="yonder-usage-${from}-${to}.csv"`)
        .send(textInPages(writeUsageCsv(pages)))
    },
  )

  // Messages without a record are absent.
  api.get(
    '/api/chats/:id/usage',
    route('owner', 'Read tokens and costs of replies', [], {
      params: z.object({ id: ClientId }),
      querystring: MessageUsageQuery,
      response: { 200: MessageUsage },
    }),
    async (request) => {
      const { params, query } = request
      const records = await listUsageOfMessages(db, requireUser(request), params.id, query.messageIds)
      if (records.length === 0)
        throw new AppError('not_found', 'There is no record of the tokens and costs of this reply.')
      return presentMessageUsage(records)
    },
  )
}
