import { ConfigError, parseConfig } from '../config/config.ts'

/** Returns a line for each problem for which `parseConfig` refuses an environment; empty when it is accepted. */
export function listProblems(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    parseConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').slice(1)
  }
  return []
}
