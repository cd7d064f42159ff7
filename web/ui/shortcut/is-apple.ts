/** Whether this machine's keyboard has a Command key. */
export const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')
