/** Why a connector of an integration cannot be used, for its person and for the model. */
export function waitsForIntegration(name: string): string {
  return `${name} is not connected any more. Connect it again under Settings, Integrations.`
}
