import { ConfigError, parseConfig } from '../config/config.ts'

/** Returns the lines of the refusal of an environment, without its heading; empty when it is accepted. */
export function listProblems(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    parseConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').slice(1)
  }
  return []
}
