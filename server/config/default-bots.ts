import { BotInput } from '@yonder/contract/bot'
import { z } from 'zod'
import { issuedSecret, strictFields } from './setting-values.ts'

/** Bots that every user gets at the first sign-in. */
export const DefaultBots = z.array(strictFields(BotInput.shape)).superRefine((bots, context) => {
  for (const [index, { name, api_key }] of bots.entries()) {
    if (api_key) {
      for (const { message } of issuedSecret.safeParse(api_key).error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [index, 'api_key'], message })
    }
    if (bots.findIndex((bot) => bot.name === name) === index) continue
    context.addIssue({ code: 'custom', path: [index, 'name'], message: `occurs twice: "${name}"` })
  }
})
