import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Runs the garbage collector in a later turn of the event loop, because weak references keep their targets until the
 * current turn ends.
 */
export async function collectGarbage(): Promise<void> {
  await setImmediate()
  collect()
}
