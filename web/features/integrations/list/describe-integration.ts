import { titleOfIntegration } from '@yonder/contract/integration-names'

/** What an integration is for (§2.77). */
export function describeIntegration(name: string): string {
  switch (name) {
    case 'google-calendar':
      return 'Connect your Google Calendar to access your events'
    case 'google-gmail':
      return 'Connect your Gmail account to access your emails'
    default:
      return `Connect to ${titleOfIntegration(name)}`
  }
}
