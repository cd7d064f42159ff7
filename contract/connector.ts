import { z } from 'zod'

export const connectorStatuses = ['connected', 'disconnected', 'failed'] as const

export const ConnectorTool = z.object({ name: z.string(), description: z.string() })
export type ConnectorTool = z.infer<typeof ConnectorTool>

/** A connector as its owner reads it (§3.12). `token` is a mask. `allow_tools: null` means that nothing asks. */
export const Connector = z.object({
  name: z.string(),
  url: z.string(),
  token: z.string().nullable(),
  status: z.enum(connectorStatuses),
  is_default: z.boolean(),
  error_message: z.string().nullable(),
  allow_tools: z.array(z.string()).nullable(),
  tools: z.array(ConnectorTool),
})
export type Connector = z.infer<typeof Connector>

export const ConnectorList = z.array(Connector)

/** What creates or updates a connector. The address is stored as typed: there is no format check (§5.10). */
export const ConnectorInput = z.object({
  name: z.string().trim().min(1, 'Server name is required').max(200),
  url: z.string().trim().min(1, 'URL is required').max(2000),
  token: z.string().max(8000).nullish(),
  status: z.enum(connectorStatuses).optional(),
  is_default: z.boolean().optional(),
  allow_tools: z.array(z.string().max(200)).max(1000).nullish(),
})
export type ConnectorInput = z.infer<typeof ConnectorInput>

/** An entry of Browse Connectors (§3.13). */
export const BrowseServer = z.object({
  name: z.string(),
  title: z.string(),
  author_name: z.string(),
  description: z.string(),
  config_name: z.string(),
  server_url: z.string(),
  uuid: z.string(),
})
export type BrowseServer = z.infer<typeof BrowseServer>

export const BrowseList = z.object({ servers: z.array(BrowseServer) })

/** The call that a person allows (§7.12). */
export const ToolConfirm = z.object({
  botName: z.string().min(1).max(200),
  server: z.string().min(1).max(200),
  tool: z.string().min(1).max(200),
  args: z.unknown(),
  messageId: z.string().max(64).optional(),
})
export type ToolConfirm = z.infer<typeof ToolConfirm>
