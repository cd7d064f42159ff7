import { titleOfIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../lib/app-error.ts'

/** Its person has to connect an integration, or to connect it again: for them and for the model to read. */
export function notConnected(name: string, { hasEnded }: { readonly hasEnded: boolean }): AppError {
  const title = titleOfIntegration(name)
  return new AppError(
    'not_connected',
    hasEnded
      ? `The connection to ${title} has ended. Connect it again under Settings, Integrations.`
      : `${title} is not connected. Connect it under Settings, Integrations.`,
  )
}

export function isNotConnected(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_connected'
}
