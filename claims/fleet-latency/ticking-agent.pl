# An agent that says what time it is: `perl ticking-agent.pl '"EVERY"'`. A message such as "tick 200 times from 1700000000000"
# makes one turn, in which it speaks so many times, every EVERY milliseconds from that time on. In a language that starts and
# waits for next to nothing, so that the machine is left to what is measured. Each agent keeps to a beat of its own: one that
# was held up is late once, and neither speaks more seldom nor falls into step with the others.
use strict;
use warnings;
use Time::HiRes qw(time sleep);

$| = 1;
my ($every) = $ARGV[0] =~ /(\d+)/;
print qq({"type":"hello","conversation":"ticking","model":"none"}\n);
while (my $line = readline STDIN) {
  my ($count, $begin) = $line =~ /tick (\d+) times from (\d+)/ or next;
  my $due = $begin / 1000 + rand($every) / 1000;
  for (1 .. $count) {
    my $pause = $due - time;
    sleep $pause if $pause > 0;
    printf qq({"type":"spoken","what":"text","text":"%.6f"}\n), time;
    $due += $every / 1000;
  }
  print qq({"type":"done","outcome":"completed"}\n);
}
