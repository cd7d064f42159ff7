/**
 * Reads the settings in a file into the environment, as `readConfig` of the server does. Settings of the environment
 * have precedence. A missing file is no error.
 *
 * @param {string} path
 * @param {NodeJS.ProcessEnv} [env]
 */
export function loadSettings(path, env = process.env) {
  try {
    process.loadEnvFile(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  // Some editors begin a file with a byte order mark, which Node makes a part of the first setting's name.
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('\uFEFF')) continue
    delete env[name]
    env[name.slice(1)] ??= value
  }
}
