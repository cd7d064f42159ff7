import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Returns the folder in which Yonder keeps files of this kind for the user, at the usual place of the system. For data
 * it is `~/.local/share/yonder` on Linux, `~/Library/Application Support/yonder` on macOS, and
 * `%LOCALAPPDATA%\yonder\Data` on Windows. No library is used, because this runs before packages are installed.
 *
 * @param {'data' | 'cache'} kind
 * @param {{ platform?: string, env?: Readonly<Record<string, string | undefined>>, home?: string }} [system]
 * @returns {string}
 */
export function userFolder(kind, { platform = process.platform, env = process.env, home = homedir() } = {}) {
  const isData = kind === 'data'
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'yonder', isData ? 'Data' : 'Cache')
  if (platform === 'darwin') return join(home, 'Library', isData ? 'Application Support' : 'Caches', 'yonder')
  const configured = env[isData ? 'XDG_DATA_HOME' : 'XDG_CACHE_HOME'] ?? ''
  // The XDG specification says to ignore relative paths.
  return join(isAbsolute(configured) ? configured : join(home, isData ? '.local/share' : '.cache'), 'yonder')
}
