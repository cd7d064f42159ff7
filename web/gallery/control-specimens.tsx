import { Plus, Send, Settings, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ButtonLink } from '../ui/button/button-link.tsx'
import { Button } from '../ui/button/button.tsx'
import { CopyButton } from '../ui/button/copy-button.tsx'
import { IconButton, IconLink } from '../ui/button/icon-button.tsx'
import { Entry, EntryList } from '../ui/entry-list.tsx'
import { Checkbox } from '../ui/form/checkbox.tsx'
import { Field } from '../ui/form/field.tsx'
import { Select } from '../ui/form/select.tsx'
import { SettingsGroup, SettingsHeader, SettingsRow } from '../ui/form/settings-list.tsx'
import { Switch } from '../ui/form/switch.tsx'
import { TextArea } from '../ui/form/text-area.tsx'
import { SearchInput, SecretInput, TextInput } from '../ui/form/text-input.tsx'
import { StateBadge } from '../ui/states/state-badge.tsx'
import { Section, Specimen } from './section.tsx'

export function ButtonSpecimens() {
  return (
    <Section
      title="Buttons"
      lead="Use one primary button in a view, muted buttons in lists, and danger buttons only in confirmations."
    >
      <Specimen name="Looks">
        <Button look="primary">Save</Button>
        <Button>Cancel</Button>
        <Button look="plain">Edit</Button>
        <Button look="muted">Configure</Button>
        <Button look="danger">Delete</Button>
        <ButtonLink href="#page">Open page</ButtonLink>
      </Specimen>
      <Specimen name="Small">
        <Button size="small" look="primary">
          Allow Once
        </Button>
        <Button size="small">Allow Always</Button>
        <Button size="small" look="plain">
          Deny
        </Button>
      </Specimen>
      <Specimen name="Disabled">
        <Button look="primary" disabled>
          Save
        </Button>
        <Button disabled>Cancel</Button>
        <Button look="plain" disabled>
          Edit
        </Button>
      </Specimen>
      <Specimen name="Busy: keeps the focus, ignores clicks">
        <Button look="primary" busy>
          Saving...
        </Button>
        <Button busy>Adding...</Button>
        <Button look="danger" busy>
          Delete
        </Button>
      </Specimen>
      <Specimen name="With an icon">
        <Button look="primary">
          <Plus size={16} aria-hidden />
          Add Bot
        </Button>
        <Button>
          <Settings size={16} aria-hidden />
          Configure
        </Button>
      </Specimen>
      <Specimen name="Icon buttons">
        <IconButton label="Settings">
          <Settings size={18} aria-hidden />
        </IconButton>
        <IconButton label="Delete" size="small">
          <Trash2 size={16} aria-hidden />
        </IconButton>
        <IconButton label="Send" look="primary" shape="round" shortcut="enter">
          <Send size={16} aria-hidden />
        </IconButton>
        <IconButton label="Add" look="floating" shape="round">
          <Plus size={18} aria-hidden />
        </IconButton>
        <IconButton label="Not now" disabled>
          <Settings size={18} aria-hidden />
        </IconButton>
        <CopyButton title="Copy message" text="Copied from the gallery." />
        <IconLink label="Source code" href="https://example.com">
          <Settings size={18} aria-hidden />
        </IconLink>
      </Specimen>
      <Specimen name="Large: the main actions of a page" arrange="column">
        <Button size="large" look="primary">
          Sign in with Google
        </Button>
        <Button size="large">Sign in with a local account</Button>
      </Specimen>
    </Section>
  )
}

function SearchSpecimen() {
  return (
    <Specimen name="Search, boxed and bare" arrange="column">
      <div className="flex">
        <SearchInput aria-label="Search connectors" placeholder="Search connectors..." />
      </div>
      <div className="flex">
        <SearchInput look="bare" aria-label="Search chats" placeholder="Search chats, then press Enter" />
      </div>
    </Specimen>
  )
}

export function FieldSpecimens() {
  const [isChecked, setChecked] = useState(true)
  return (
    <Section
      title="Fields"
      lead="A field joins its control with label, hint and error. An asterisk means required."
    >
      <Specimen name="Empty" arrange="column">
        <Field label="Name" required hint="The name of the bot in the list.">
          <TextInput placeholder="Research" />
        </Field>
      </Specimen>
      <Specimen name="Filled" arrange="column">
        <Field label="Model" required>
          <TextInput defaultValue="demo-large" />
        </Field>
        <Field label="Instructions">
          <TextArea defaultValue={'Reply in French.\nBe brief.'} />
        </Field>
      </Specimen>
      <Specimen name="Error" arrange="column">
        <Field label="URL" required error="URL is required">
          <TextInput />
        </Field>
      </Specimen>
      <Specimen name="Disabled and read only" arrange="column">
        <Field label="Integration">
          <TextInput disabled defaultValue="Gmail" />
        </Field>
        <Field label="Authentication Type">
          <TextInput readOnly defaultValue="OAuth (Google Login)" />
        </Field>
      </Specimen>
      <Specimen name="Secret: a mask is replaced as a whole" arrange="column">
        <Field label="API Key" hint="Stored: sk-a••••mnop. Type to replace it.">
          <SecretInput isMask defaultValue="sk-a••••mnop" />
        </Field>
      </Specimen>
      <SearchSpecimen />
      <Specimen name="Select, boxed" arrange="column">
        <Field label="API type">
          <Select defaultValue="anthropic">
            <option value="openai">OpenAI</option>
            <option value="anthropic">Anthropic</option>
          </Select>
        </Field>
        <Field label="Disabled">
          <Select disabled>
            <option>Nothing to choose</option>
          </Select>
        </Field>
      </Specimen>
      <Specimen name="Select, quiet">
        <Select look="quiet" aria-label="Bot">
          <option>Demo (demo-large)</option>
          <option>Research (a model with a rather long name)</option>
        </Select>
      </Specimen>
      <Specimen name="Checkbox" arrange="column">
        <Checkbox
          label="Provide your own key"
          hint="The admin of this site can see it, so use a key with a credit limit."
          checked={isChecked}
          onChange={() => setChecked(!isChecked)}
        />
        <Checkbox label="Optional settings" />
        <Checkbox label="Disabled" disabled />
      </Specimen>
      <Specimen name="Entries" wide arrange="column">
        <EntryList label="Connectors">
          {(
            [
              ['search', 'https://search.example/mcp', 'Connected'],
              ['a-connector-with-a-rather-long-name', 'https://tools.example/a/long/address/mcp', 'Failed'],
            ] as const
          ).map(([name, address, status]) => (
            <Entry
              key={name}
              id={`entry-${name}`}
              stacks
              name={name}
              status={<StateBadge tone={status === 'Connected' ? 'success' : 'danger'}>{status}</StateBadge>}
              detail={address}
              actions={['Configure', 'Disconnect', 'Edit', 'Delete'].map((action) => (
                <Button key={action} size="small" look="muted" aria-describedby={`entry-${name}`}>
                  {action}
                </Button>
              ))}
            />
          ))}
        </EntryList>
      </Specimen>
    </Section>
  )
}

export function SettingsSpecimens() {
  const [isOn, setOn] = useState(true)
  return (
    <Section title="Settings" lead="A setting takes effect at once. A field takes effect on Save.">
      <Specimen name="Section" wide arrange="column">
        <SettingsHeader title="Things" description="What this section is about">
          <Button>Browse Things</Button>
          <Button look="primary">Add Thing</Button>
        </SettingsHeader>
        <SettingsGroup title="Appearance">
          <SettingsRow
            name="Connection logs"
            meaning="Shows the connection logs of tool servers beside the chat."
          >
            <Switch label="Connection logs" checked={isOn} onChange={setOn} />
          </SettingsRow>
          <SettingsRow name="Not on" meaning="A switch acts at once; a checkbox waits for Save.">
            <Switch label="Not on" checked={!isOn} onChange={(next) => setOn(!next)} />
          </SettingsRow>
          <SettingsRow name="ID">
            <code className="font-mono text-sm break-all text-muted select-all">
              a-very-long-identifier-that-breaks-on-a-phone-0123456789-0123456789
            </code>
          </SettingsRow>
        </SettingsGroup>
      </Specimen>
    </Section>
  )
}
